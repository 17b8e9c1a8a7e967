// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What must not outlive the program: files and folders under construction, engines that it started.
#pragma once

#include <filesystem>

#include <sys/types.h>

namespace parity::golden {

/// While it lives, Ctrl-C (and SIGTERM, SIGHUP) removes the file, or the folder with what is in it.
class UnfinishedPath {
 public:
  explicit UnfinishedPath(std::filesystem::path path);
  UnfinishedPath(const UnfinishedPath&) = delete;
  UnfinishedPath& operator=(const UnfinishedPath&) = delete;
  ~UnfinishedPath();

 private:
  std::filesystem::path path_;
};

/// While it lives, the same ends every process of the group; at the end those that still live are killed.
class StartedGroup {
 public:
  explicit StartedGroup(pid_t group);
  StartedGroup(const StartedGroup&) = delete;
  StartedGroup& operator=(const StartedGroup&) = delete;
  ~StartedGroup();

 private:
  pid_t group_;
};

/// From here on those signals clean up before they end the program as they would have; those that are ignored stay so. For
/// the program, once.
void clean_up_when_interrupted();

}  // namespace parity::golden

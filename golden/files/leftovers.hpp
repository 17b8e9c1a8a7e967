// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Removal of what must not outlive the program: unfinished files and folders, and engines that it started.
#pragma once

#include <chrono>
#include <filesystem>
#include <shared_mutex>

#include <sys/types.h>

namespace parity::golden {

/// While this object exists, an interrupted program waits with its clean-up: for whoever makes a folder with a name that
/// only the system knows, or starts a process, and then notes it below, and for whoever exchanges a noted folder for
/// another. Not to be held while anything else is done.
class CleanUpWaits {
 public:
  CleanUpWaits();

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

/// While this object exists, Ctrl-C (SIGINT), SIGTERM and SIGHUP remove the file, or the folder with its contents.
class UnfinishedPath {
 public:
  explicit UnfinishedPath(std::filesystem::path path);
  UnfinishedPath(const UnfinishedPath&) = delete;
  UnfinishedPath& operator=(const UnfinishedPath&) = delete;
  ~UnfinishedPath();

 private:
  std::filesystem::path path_;
};

/// While this object exists, SIGINT, SIGTERM and SIGHUP end every process of the group. Its destructor kills the rest.
class StartedGroup {
 public:
  explicit StartedGroup(pid_t group);
  StartedGroup(const StartedGroup&) = delete;
  StartedGroup& operator=(const StartedGroup&) = delete;
  ~StartedGroup();

 private:
  pid_t group_;
};

/// Makes SIGINT, SIGTERM and SIGHUP clean up before they end the program as usual. Ignored signals remain ignored. The
/// program calls this once.
void clean_up_when_interrupted();
/// From now on SIGTERM does so only after this time. Of ranks: when one has died, the launcher ends the others before
/// they can say so.
void take_time_before_sigterm(std::chrono::milliseconds time);
/// Cleans up in the same way and ends the program with this exit code.
[[noreturn]] void clean_up_and_end(int exit_code);

}  // namespace parity::golden

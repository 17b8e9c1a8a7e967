// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "golden/files/leftovers.hpp"

namespace parity::golden {

/// A new folder in the system's temporary folder. The destructor removes it with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();  // Error{io}
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<UnfinishedPath> unfinished_;
};

}  // namespace parity::golden

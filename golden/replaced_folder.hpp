// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A golden is a set of files that belong together: it is replaced as a whole or not at all.
#pragma once

#include <filesystem>
#include <optional>

#include "golden/leftovers.hpp"

namespace parity::golden {

/// A new folder beside `target`, removed at the end unless `commit` gave it that name.
class ReplacedFolder {
 public:
  /// Error{usage} when `target` is something else than a folder, Error{io} when none can be made beside it.
  explicit ReplacedFolder(const std::filesystem::path& target);
  ReplacedFolder(const ReplacedFolder&) = delete;
  ReplacedFolder& operator=(const ReplacedFolder&) = delete;
  ~ReplacedFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// A golden that was there is exchanged for the new one in one step, after the new one is on the disk; other files that
  /// lay in its folder stay. Into a folder without a golden the files are moved, the recording last. Error{io}.
  void commit();

 private:
  std::filesystem::path target_, path_;
  std::optional<UnfinishedPath> unfinished_;
};

}  // namespace parity::golden

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Replacement of a golden's folder as a whole: the files of a golden belong together.
#pragma once

#include <filesystem>
#include <optional>

#include "golden/files/leftovers.hpp"

namespace parity::golden {

/// A new folder next to `target`. The destructor removes it unless commit() made it the target.
class ReplacedFolder {
 public:
  /// Throws Error{usage} when `target` exists and is no folder, Error{io} when no folder can be created next to it.
  explicit ReplacedFolder(const std::filesystem::path& target);
  ReplacedFolder(const ReplacedFolder&) = delete;
  ReplacedFolder& operator=(const ReplacedFolder&) = delete;
  ~ReplacedFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Flushes the new folder to disk and exchanges it for an existing golden in one atomic step; other files in the old
  /// folder are kept. If `target` has no golden, the files are moved, the recording last. Throws Error{io}.
  void commit();

 private:
  std::filesystem::path target_, path_;
  std::optional<UnfinishedPath> unfinished_;
};

}  // namespace parity::golden

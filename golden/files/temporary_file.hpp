// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A file under construction, which gets its final name when it is complete.
#pragma once

#include <filesystem>
#include <memory>

#include "golden/files/leftovers.hpp"

namespace parity::golden {

/// A temporary name next to `target`. The destructor removes the file unless commit() renamed it to `target`.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path target);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;  // empty when there is no file to remove
  std::unique_ptr<UnfinishedPath> unfinished_;
};

}  // namespace parity::golden

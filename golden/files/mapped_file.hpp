// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A whole file as read-only memory; the system loads only pages that are accessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace parity::golden {

class MappedFile {
 public:
  /// Maps the file. Throws Error{not_found} or Error{io}.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }  // read-only: a write is a fault
  /// Returns the file's resident pages to the system, so that a large file does not stay in memory after it was read.
  void release() const;
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(bytes_.size()); }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace parity::golden

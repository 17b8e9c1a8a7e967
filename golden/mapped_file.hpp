// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A whole file as read-only memory; the system loads only what is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace parity::golden {

class MappedFile {
 public:
  /// Error{not_found, io}.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }  // writing to them is a fault
  /// Lets the system take back the pages touched so far: a large file does not stay resident once it was read.
  void release() const;
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(bytes_.size()); }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace parity::golden

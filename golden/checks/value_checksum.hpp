// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checksums of a recording's values when they were written: HDF5 protects its own structures, not the elements.
#pragma once

#include <cstdint>
#include <string>

#include "core/tensor.hpp"

namespace parity::golden {

/// Attribute of datasets; and the prefix of root attributes for other files ("sha256:checkpoint/config.json").
inline constexpr const char* kChecksum = "checksum";
inline constexpr const char* kFileSum = "sha256:";

/// CRC-32 of the elements in row-major order, as stored.
class ValueChecksum {
 public:
  /// Appends the next elements, which must be contiguous.
  ValueChecksum& add(const TensorView& elements);
  [[nodiscard]] std::string text() const;  // "crc32:0badcafe"

 private:
  uint32_t sum_ = 0;
};

}  // namespace parity::golden

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a recording's values were when they were written: HDF5 guards its own structures, not the elements.
#pragma once

#include <cstdint>
#include <string>

#include "core/tensor.hpp"

namespace parity::golden {

/// Attribute of datasets. Of the root: "sha256:checkpoint/config.json" and the like, of the files beside it.
inline constexpr const char* kChecksum = "checksum";
inline constexpr const char* kFileSum = "sha256:";

/// CRC-32 of the elements in row-major order, as stored.
class ValueChecksum {
 public:
  /// The next elements; contiguous.
  ValueChecksum& add(const TensorView& elements);
  [[nodiscard]] std::string text() const;  // "crc32:0badcafe"

 private:
  uint32_t sum_ = 0;
};

}  // namespace parity::golden

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Element types and shapes as an HDF5 file describes them.
#pragma once

#include <optional>
#include <string>

#include "core/tensor.hpp"
#include "golden/hdf5/image.hpp"

namespace parity::golden::hdf5 {

struct StoredType {
  enum class Kind : uint8_t { number, text, variable_text, other };

  Kind kind = Kind::other;
  int64_t size = 0;            // bytes of one element
  std::optional<DType> dtype;  // element type of numbers, if tensors have that type
  bool integer = false;        // a little-endian integer of 1 to 8 bytes
  bool is_signed = false;      // a signed integer
  bool space_padded = false;   // a text padded with spaces

  [[nodiscard]] bool is_text() const { return kind == Kind::text || kind == Kind::variable_text; }
};

[[nodiscard]] StoredType parse_type(ByteSpan message);

/// The extents; empty for a scalar, nullopt for a dataspace without elements. Throws Error{schema} beyond 16 axes.
[[nodiscard]] std::optional<Shape> parse_shape(ByteSpan message);

/// The text up to its first zero byte, without padding.
[[nodiscard]] std::string trim_text(ByteSpan bytes, bool space_padded);

}  // namespace parity::golden::hdf5

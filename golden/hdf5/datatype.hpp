// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Element types and shapes as the file describes them.
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
  std::optional<DType> dtype;  // of numbers that tensors can hold
  bool integer = false;        // little-endian, of 1 to 8 bytes
  bool is_signed = false;      // an integer
  bool space_padded = false;   // a text

  [[nodiscard]] bool is_text() const { return kind == Kind::text || kind == Kind::variable_text; }
};

[[nodiscard]] StoredType parse_type(ByteSpan message);

/// Extents; a scalar has none; nullopt for a dataspace without elements. Error{schema} beyond 16 axes.
[[nodiscard]] std::optional<Shape> parse_shape(ByteSpan message);

/// Text up to its first zero byte, without the padding.
[[nodiscard]] std::string trim_text(ByteSpan bytes, bool space_padded);

}  // namespace parity::golden::hdf5

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The header of one .safetensors file: u64 length, JSON {name: {dtype, shape, data_offsets}}, data.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "core/tensor.hpp"

namespace parity::golden {

struct StoredTensor {
  DType dtype = DType::u8;
  Shape shape;
  int64_t offset = 0;  // in bytes from the start of the file; any alignment
  int64_t bytes = 0;
};

/// Parses and checks the header: lengths against the file, element types, shapes against byte counts, ranges against
/// the file and each other, and that names are unique. Error{schema} names the tensor.
[[nodiscard]] std::map<std::string, StoredTensor> parse_safetensors_header(std::span<const std::byte> file);

}  // namespace parity::golden

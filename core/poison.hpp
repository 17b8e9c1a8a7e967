// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What memory holds before a kernel runs, so that what it leaves unwritten shows.
#pragma once

#include <cstdint>

#include "core/tensor.hpp"

namespace parity {

enum class Poison : uint8_t {
  nan,    // NaN, all bits set; in ids the least integer
  first,  // a NaN with a payload that no arithmetic gives; an absurd negative id
  other,  // a number that no arithmetic gives by chance; an absurd id
};

/// The element, in the low bytes.
[[nodiscard]] uint64_t poison_bits(Poison poison, DType dtype);
/// Every element of the tensor, wherever it lives.
void fill_with(Poison poison, const Tensor& tensor);

}  // namespace parity

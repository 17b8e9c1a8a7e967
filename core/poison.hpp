// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Values that memory contains before a kernel runs, so that elements which the kernel does not write are found.
#pragma once

#include <cstdint>

#include "core/tensor.hpp"

namespace parity {

enum class Poison : uint8_t {
  nan,    // NaN with all bits set; the least integer for ids
  first,  // a NaN with a payload that no arithmetic produces; an impossible negative id
  other,  // a number that no arithmetic produces by chance; an impossible id
};

/// Bits of one poisoned element, in the low bytes.
[[nodiscard]] uint64_t poison_bits(Poison poison, DType dtype);
/// Writes the poison to every element of the tensor, at the place where the tensor is.
void fill_with(Poison poison, const Tensor& tensor);

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The amount by which a corruption changes a tap.
#pragma once

#include <cstdint>

#include "core/tensor.hpp"

namespace parity::faults {

struct Effect {
  int64_t changed = 0;    // number of elements with another numeric value
  double share = 0.0;     // share of all elements
  double relative = 0.0;  // largest change over the tap's largest magnitude; infinite if finiteness changes
};

[[nodiscard]] Effect effect_of(const Tensor& recorded, const Tensor& damaged);

}  // namespace parity::faults

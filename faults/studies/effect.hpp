// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How much of a tap a corruption changes.
#pragma once

#include <cstdint>

#include "core/tensor.hpp"

namespace parity::faults {

struct Effect {
  int64_t changed = 0;    // elements that differ as numbers
  double share = 0.0;     // of all elements
  double relative = 0.0;  // largest change over the tap's largest magnitude; infinite where finiteness changes
};

[[nodiscard]] Effect effect_of(const Tensor& recorded, const Tensor& damaged);

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slots of a token whose order is not recorded: each is paired with the nearest of the reference.
#pragma once

#include "core/tensor.hpp"

namespace parity::compare {

/// True for taps of slots, (N, T) or (N, T, ...).
[[nodiscard]] bool has_slots(const TensorView& tap);
/// `got` (f64) with the slots of every token in the order of `reference`: each takes the nearest one that is left.
[[nodiscard]] Tensor align_slots(const Tensor& got, const Tensor& reference);

}  // namespace parity::compare

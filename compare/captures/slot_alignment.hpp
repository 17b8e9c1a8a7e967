// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Aligns slots whose order is not recorded: each slot of a token is paired with the nearest slot of the reference.
#pragma once

#include "core/tensor.hpp"

namespace parity::compare {

/// Whether the tap has slots: (N, T) or (N, T, ...).
[[nodiscard]] bool has_slots(const TensorView& tap);
/// Returns `got` (f64) with each token's slots in the order of `reference`. Each takes the nearest remaining slot.
[[nodiscard]] Tensor align_slots(const Tensor& got, const Tensor& reference);
/// Returns ids (i64, one for each slot) with each token's in rising order, to compare them as sets.
[[nodiscard]] Tensor sorted_slots(const Tensor& ids);

}  // namespace parity::compare

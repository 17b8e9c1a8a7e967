// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "optimized/cpu/linear/product_tile.hpp"

namespace parity::cpu {

/// Products of rows [first, last) of one expert's weight with a panel of the expert's tokens.
template <class T>
struct ExpertPanel {
  ProductPanel<T> panel;

  // for the first product, whose rows f and inner + f give activation f
  T* const* activation = nullptr;
  int64_t inner = 0;
  float alpha = 1.0F, limit = 0.0F, offset = 0.0F;
  bool rounds_hidden = false, rounds_scaled = false, rounds_sigmoid = false, rounds_gated = false,
       rounds_shifted = false;

  // for the second product, whose row h gives channel h of the tokens' sums
  const float* factor = nullptr;
  float* const* weighted = nullptr;  // rows of slots, or null
  T* const* out = nullptr;
  const bool* begins = nullptr;  // per token: this expert's share is the first addend of the token's sum
  bool rounds_down = false;
};

using ExpertSingle = ExpertPanel<float>;
using ExpertHalf = ExpertPanel<BFloat16>;
PARITY_CPU_FUNCTION(expert_activation_f32, ExpertSingle)
PARITY_CPU_FUNCTION(expert_activation_bf16, ExpertHalf)
PARITY_CPU_FUNCTION(expert_sum_f32, ExpertSingle)
PARITY_CPU_FUNCTION(expert_sum_bf16, ExpertHalf)

}  // namespace parity::cpu

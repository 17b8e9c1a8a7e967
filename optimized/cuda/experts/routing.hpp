// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The host's part of routed experts: scratch memory of the order of slots, and the addresses of the experts' weights.
#pragma once

#include "optimized/cuda/experts/routed.hpp"
#include "optimized/cuda/linear/product_plan.hpp"

namespace parity::optimized::cuda {

/// Takes the scratch memory for the order of slots. The tile of the products depends on the average number of slots of
/// an expert.
[[nodiscard]] Tile route(Routed& routed, const TensorView& indices, int64_t experts, const Context& context);
/// Tiles of all experts, however the slots are shared out.
[[nodiscard]] int64_t most_tiles(const Routed& routed);

struct Members {
  const void* const* addresses;  // at the place
  int32_t vectors;               // every member's rows begin at multiples of 16 bytes
  int64_t width, rows;           // channels; rows of a member
  std::vector<const std::byte*> each;
};
/// Throws Error{internal} unless the members of the bank are dense tensors of `type`.
[[nodiscard]] Members members_of(const WeightBank& bank, DType type, const Context& context);
template <class T>
[[nodiscard]] Members members_of(const WeightBank& bank, const Context& context) {
  return members_of(bank, kDTypeOf<T>, context);
}

}  // namespace parity::optimized::cuda

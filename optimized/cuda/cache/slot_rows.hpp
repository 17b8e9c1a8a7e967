// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes the slots of a cache of fixed or growing length: those of this call, and those of earlier calls.
#pragma once

#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

/// Slots [first, first + fresh_slots) of `out` are those of `fresh`; the others are those of `past`, or zeros without one.
struct SlotRowsParameters {
  Operand<4> past, fresh, out;                                                                           // (B, G, K, D)
  int64_t rows, heads, slots, width;  // rows: of all sequences and heads
  int64_t first, fresh_slots;
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void move_slots(const SlotRowsParameters& p) {
  const int64_t row = row_of_thread();
  if (row >= p.rows) return;
  const int64_t k = row % p.slots, head = row / p.slots, g = head % p.heads, b = head / p.heads;
  const bool fresh = k >= p.first && k < p.first + p.fresh_slots;
  const Operand<4>& from = fresh ? p.fresh : p.past;
  const T* source = from.data == nullptr ? nullptr : at<T>(from, b, g, fresh ? k - p.first : k);
  move_row(at<T>(p.out, b, g, k), p.out.stride[3], source, from.stride[3], p.width, p.vectors);
}

}  // namespace parity::optimized::cuda

#else

#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {

/// Starts `name`_f32 or `name`_bf16 of the module `name`. A `past` or `fresh` without data is absent.
template <class T>
void launch_slots(const Context& context, const std::string& name, const Span<T, 4>& past, const Span<T, 4>& fresh,
                  const Span<T, 4>& out, int64_t first) {
  const auto& [batch, heads, slots, width] = out.extent;
  const auto fits = [&](const Span<T, 4>& part, int64_t least) {
    return part.data == nullptr ||
           (part.extent[0] == batch && part.extent[1] == heads && part.extent[2] >= least && part.extent[3] == width);
  };
  const int64_t fresh_slots = fresh.data == nullptr ? 0 : fresh.extent[2];
  PARITY_CHECK(fits(past, first) && fits(fresh, 0) && first + fresh_slots <= slots, internal,
               "{}: {} slots after the first {} do not fit into {}", name, fresh_slots, first, slots);
  const bool vectors =
      has_vectors(out) && (past.data == nullptr || has_vectors(past)) && (fresh.data == nullptr || has_vectors(fresh));
  const int64_t rows = width == 0 ? 0 : batch * heads * slots;
  launch(context, row_launch(name, kernel_name<T>(name), rows, units_of<T>(width, vectors)),
         SlotRowsParameters{operand(past), operand(fresh), operand(out), rows, heads, slots, width, first, fresh_slots,
                            vectors});
}

}  // namespace parity::optimized::cuda

#endif

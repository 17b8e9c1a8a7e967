// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/rope/partial_rope.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/parallel.hpp"
#include "optimized/cpu/rope/rope_rows.hpp"

namespace parity::optimized {
namespace {

template <class T, class Table>
void turn(const PartialRope::Inputs& in, const PartialRope::Outputs& out, void (*run)(const cpu::RopeRows<T, Table>&)) {
  constexpr int64_t kGrain = int64_t{1} << 15;  // elements
  const auto x = in.x.as<T, 4>();                                                                        // (B, A, S, D)
  const auto cos = in.cos.as<Table, 3>();                                                                   // (B, S, R)
  const auto sin = in.sin.as<Table, 3>();                                                                   // (B, S, R)
  const auto result = out.out.as<T, 4>();                                                                // (B, A, S, D)
  const int64_t width = x.extent[3];
  const bool dense = (width <= 1 || (x.stride[3] == 1 && result.stride[3] == 1)) &&
                     (cos.extent[2] <= 1 || (cos.stride[2] == 1 && sin.stride[2] == 1));
  PARITY_CHECK(dense, internal, "partial_rope needs rows with contiguous channels");
  const int64_t rows = x.extent[1] * x.extent[2];
  if (x.extent[0] * rows == 0) return;
  const int64_t grain = std::max<int64_t>(kGrain / std::max<int64_t>(width, 1), 1);
  const int64_t pieces = (rows + grain - 1) / grain;
  cpu::in_pieces(x.extent[0] * pieces, 1, [&](int64_t piece, int64_t) {
    const int64_t b = piece / pieces, first = piece % pieces * grain;
    run({.x = x.data + b * x.stride[0],
         .cos = cos.data + b * cos.stride[0],
         .sin = sin.data + b * sin.stride[0],
         .out = result.data + b * result.stride[0],
         .first = first,
         .last = std::min(first + grain, rows),
         .tokens = x.extent[2],
         .width = width,
         .half = cos.extent[2] / 2,
         .x_head = x.stride[1],
         .x_token = x.stride[2],
         .out_head = result.stride[1],
         .out_token = result.stride[2],
         .cos_token = cos.stride[1],
         .sin_token = sin.stride[1]});
  });
}

void single(const PartialRope::Inputs& in, const PartialRope::Params&, const PartialRope::Outputs& out, Context&) {
  turn<float, float>(in, out, &cpu::partial_rope_f32);
}

/// Computes the rotation in BF16; some implementations keep the tables in binary32.
void half(const PartialRope::Inputs& in, const PartialRope::Params&, const PartialRope::Outputs& out, Context&) {
  if (in.cos.dtype == DType::f32) return turn<BFloat16, float>(in, out, &cpu::partial_rope_mixed);
  turn<BFloat16, BFloat16>(in, out, &cpu::partial_rope_bf16);
}

}  // namespace

void register_cpu_partial_rope(BackendKernels& kernels) {
  kernels.add<PartialRope>("f32", &single);
  kernels.add<PartialRope>("bf16", &half);
}

}  // namespace parity::optimized

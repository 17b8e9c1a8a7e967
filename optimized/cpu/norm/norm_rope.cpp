// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Norm and rotation in one pass, into a new tensor or into the slots of a cache. Values between the two stay in
// binary32, so there is one rounding fewer than in the chain.
#include "core/fusions/norm_rope.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/cache/cache_rows.hpp"
#include "optimized/cpu/rope/rope_rows.hpp"

namespace parity::optimized {
namespace {

template <class T, class Table>
using Run = void (*)(const cpu::NormRopeRows<T, Table>&);

/// Computes `result` (B, heads, S, D), which may be the last slots of a cache.
template <class T, class Table>
void norm_and_turn(const NormRope::Inputs& in, const NormRope::Params& params, const Span<T, 4>& result,
                   Run<T, Table> run) {
  constexpr int64_t kGrain = int64_t{1} << 15;  // elements
  const auto x = in.x.as<T, 4>();                                                                        // (B, S, A, D)
  const auto weight = in.weight.as<T, 1>();                                                                       // (D)
  const auto cos = in.cos.as<Table, 3>();                                                                   // (B, S, R)
  const auto sin = in.sin.as<Table, 3>();                                                                   // (B, S, R)
  const int64_t tokens = x.extent[1], heads = x.extent[2], width = x.extent[3];
  const auto dense = [](const auto& span, int axis) { return span.extent[axis] <= 1 || span.stride[axis] == 1; };
  PARITY_CHECK(dense(x, 3) && dense(weight, 0) && dense(cos, 2) && dense(sin, 2) && dense(result, 3), internal,
               "an operand or the output of norm_rope has channels that are not contiguous");
  if (x.extent[0] * tokens * heads * width == 0) return;
  const int64_t grain = std::max<int64_t>(kGrain / (heads * width), 1), pieces = (tokens + grain - 1) / grain;
  cpu::in_pieces(x.extent[0] * pieces, 1, [&](int64_t piece, int64_t) {
    const int64_t b = piece / pieces, first = piece % pieces * grain;
    const cpu::RopeRows<T, Table> rope{.x = x.data + b * x.stride[0],
                                       .cos = cos.data + b * cos.stride[0],
                                       .sin = sin.data + b * sin.stride[0],
                                       .out = result.data + b * result.stride[0],
                                       .first = first * heads,
                                       .last = std::min(first + grain, tokens) * heads,
                                       .tokens = tokens,
                                       .width = width,
                                       .half = cos.extent[2] / 2,
                                       .x_head = x.stride[2],
                                       .x_token = x.stride[1],
                                       .out_head = result.stride[1],
                                       .out_token = result.stride[2],
                                       .cos_token = cos.stride[1],
                                       .sin_token = sin.stride[1]};
    run({rope, weight.data, heads, static_cast<float>(params.eps), static_cast<float>(params.gain_offset)});
  });
}

void into(const NormRope::Inputs& in, const NormRope::Params& params, const Span<float, 4>& result) {
  norm_and_turn<float, float>(in, params, result, &cpu::norm_rope_f32);
}

/// Some implementations keep the tables in binary32.
void into(const NormRope::Inputs& in, const NormRope::Params& params, const Span<BFloat16, 4>& result) {
  if (in.cos.dtype == DType::f32) return norm_and_turn<BFloat16, float>(in, params, result, &cpu::norm_rope_mixed);
  norm_and_turn<BFloat16, BFloat16>(in, params, result, &cpu::norm_rope_bf16);
}

template <class T>
void norm_rope(const NormRope::Inputs& in, const NormRope::Params& params, const NormRope::Outputs& out, Context&) {
  into(in, params, out.out.as<T, 4>());
}

template <class T>
void norm_rope_append(const NormRopeAppend::Inputs& in, const NormRopeAppend::Params& params,
                      const NormRopeAppend::Outputs& out, Context&) {
  auto result = out.out.as<T, 4>();                                                                  // (B, G, P + S, D)
  if (!in.past.empty()) {
    const auto past = in.past.as<T, 4>();                                                                // (B, G, P, D)
    cpu::copy_slots(past, result, 0);
    result.data += past.extent[2] * result.stride[2];
  }
  into(in, params, result);
}

}  // namespace

void register_cpu_norm_rope(BackendKernels& kernels) {
  kernels.fuse<NormRope>("f32", &norm_rope<float>);
  kernels.fuse<NormRope>("bf16", &norm_rope<BFloat16>);
  kernels.fuse<NormRopeAppend>("f32", &norm_rope_append<float>);
  kernels.fuse<NormRopeAppend>("bf16", &norm_rope_append<BFloat16>);
}

}  // namespace parity::optimized

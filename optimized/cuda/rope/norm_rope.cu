// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// norm_rope: lanes of a warp for each row, normed and turned; keys go into their slots of the cache. Values between
// norm and rotation stay in binary32, one rounding fewer than in the chain.
#include "optimized/cuda/rope/turned_rows.hpp"

namespace parity::optimized::cuda {

struct NormRopeParameters {
  TurnedRowsParameters rows;
  Operand<1> weight;                                                                                              // (D)
  float eps, gain_offset;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

namespace parity::optimized::cuda {

/// A row, normed when its elements are asked for.
template <class T>
struct NormedRow {
  PlainRow<T> x, weight;
  float inverse, gain_offset;

  template <int count>
  __device__ void load(int64_t i, float (&to)[count]) const {
    float gain[count];
    x.template load<count>(i, to);
    weight.template load<count>(i, gain);
#pragma unroll
    for (int k = 0; k < count; ++k) to[k] = to[k] * inverse * (gain[k] + gain_offset);
  }
};

/// The sum of squares of the elements that this thread adds up.
template <class T>
__device__ float squares_of(const PlainRow<T>& row, int64_t width) {
  float squares = 0.0F;
  each_unit<kVector<T>>(width, [&](int64_t i, auto unit) {
    float x[unit.kElements];
    row.load(i, x);
    for (const float value : x) squares += value * value;
  });
  return squares;
}

template <class T, class Table>
__device__ void norm_rope(const NormRopeParameters& p) {
  const TurnedRowsParameters& rows = p.rows;
  const int64_t width = rows.width;
  turn_rows<T, Table>(rows, [&](const PlainRow<T>& x) {
    float squares = squares_of(x, width);
    for (uint32_t distance = blockDim.x / 2; distance > 0; distance /= 2)
      squares += __shfl_xor_sync(0xFFFFFFFFU, squares, distance);
    const float inverse = 1.0F / sqrtf(squares / static_cast<float>(width) + p.eps);
    return NormedRow<T>{
        x, {static_cast<const T*>(p.weight.data), p.weight.stride[0], rows.vectors}, inverse, p.gain_offset};
  });
}

extern "C" __global__ void norm_rope_f32(const __grid_constant__ NormRopeParameters p) { norm_rope<float, float>(p); }
extern "C" __global__ void norm_rope_bf16(const __grid_constant__ NormRopeParameters p) { norm_rope<Bf16, Bf16>(p); }
extern "C" __global__ void norm_rope_mixed(const __grid_constant__ NormRopeParameters p) { norm_rope<Bf16, float>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/fusions/norm_rope.hpp"
#include "optimized/cuda/cache/slot_rows.hpp"

namespace parity::optimized::cuda {
namespace {

/// `result` (B, A, S, D): of a cache its last slots.
template <class T>
void norm_into(const NormRope::Inputs& in, const NormRope::Params& params, const Span<T, 4>& result,
               const Context& context) {
  constexpr uint32_t kWarp = 32;
  const auto by_token = in.x.as<T, 4>();                                                                 // (B, S, A, D)
  const auto weight = in.weight.as<T, 1>();                                                                       // (D)
  const auto& [batch, tokens, heads, width] = by_token.extent;
  const auto& [sequence, token, head, channel] = by_token.stride;
  const Span<T, 4> x{by_token.data, {batch, heads, tokens, width}, {sequence, head, token, channel}};
  PARITY_CHECK(weight.extent[0] == width, internal, "norm_rope reads rows of {} channels, with {} weights", width,
               weight.extent[0]);
  with_tables<T, 3>("norm_rope", in.cos, in.sin, [&](const std::string& kernel, const auto& cos, const auto& sin) {
    TurnedRowsParameters rows = turned_rows(x, cos, sin, result);
    rows.vectors = rows.vectors && has_vectors(weight);
    const int64_t units = turned_units(rows, kVectorElements<T>);  // lanes, in whatever layout
    launch(context, row_launch("norm_rope", kernel, rows.rows, units, kWarp),
           NormRopeParameters{rows, operand(weight), static_cast<float>(params.eps),
                              static_cast<float>(params.gain_offset)});
  });
}

template <class T>
void norm_rope(const NormRope::Inputs& in, const NormRope::Params& params, const NormRope::Outputs& out,
               Context& context) {
  norm_into(in, params, out.out.as<T, 4>(), context);
}

template <class T>
void norm_rope_append(const NormRopeAppend::Inputs& in, const NormRopeAppend::Params& params,
                      const NormRopeAppend::Outputs& out, Context& context) {
  auto result = out.out.as<T, 4>();                                                                  // (B, G, P + S, D)
  const auto past = in.past.empty() ? Span<T, 4>{} : in.past.as<T, 4>();                                 // (B, G, P, D)
  const int64_t held = past.extent[2];
  PARITY_CHECK(held <= result.extent[2], internal, "norm_rope_append writes {} slots, fewer than the {} of the past",
               result.extent[2], held);
  Span<T, 4> before = result;
  before.extent[2] = held;
  launch_slots(context, "cache_append", past, {}, before, held);
  result.data += held * result.stride[2];
  result.extent[2] -= held;
  norm_into(in, params, result, context);
}

}  // namespace

void register_cuda_norm_rope(BackendKernels& kernels) {
  kernels.fuse<NormRope>("f32", &norm_rope<float>);
  kernels.fuse<NormRope>("bf16", &norm_rope<BFloat16>);
  kernels.fuse<NormRopeAppend>("f32", &norm_rope_append<float>);
  kernels.fuse<NormRopeAppend>("bf16", &norm_rope_append<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

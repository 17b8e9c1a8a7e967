// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The state of lightning attention from block to block, and from token to token.
#pragma once

#include "optimized/cuda/device/functions.cuh"
#include "optimized/cuda/device/lightning_stage.cuh"

namespace parity::optimized::cuda {

/// exp(-slope tokens)
template <class T>
__device__ float decay_over(const LightningParameters& p, int64_t a, int64_t tokens) {
  const float exponent = -load_at(p.slope, {a}) * static_cast<float>(tokens);
  return rounded<T>(p.round.decay, exponential(rounded<T>(p.round.exponent, exponent)));
}

template <class T>
__device__ float renewed(const LightningParameters& p, float state, float decay, float increment) {
  return rounded<T>(p.round.state, rounded<T>(p.round.decayed_state, state * decay) + increment);
}

/// A thread for each cell of a head's state. What a block adds gives way to the state before it.
template <class T>
__device__ void lightning_scan(const LightningParameters& p) {
  const int64_t cells = p.width * p.width, cell = int64_t{blockIdx.y} * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  const int64_t b = blockIdx.x / p.heads, a = blockIdx.x % p.heads, d = cell / p.width, e = cell % p.width;
  const float whole = decay_over<T>(p, a, p.size);
  float state = 0.0F;
  for (int64_t j = 0; j < p.blocks; ++j) {
    const int64_t left = p.tokens - j * p.size;
    float& at_block = p.cells[(blockIdx.x * p.blocks + j) * cells + cell];
    const float increment = at_block;
    at_block = state;
    store_at(p.block_states, {j, b, a, d, e}, state);
    state = renewed<T>(p, state, left < p.size ? decay_over<T>(p, a, left) : whole, increment);
  }
  store_at(p.block_states, {p.blocks, b, a, d, e}, state);
  store_at(p.state, {b, a, d, e}, state);
}

/// With a past: a lane has a channel of the values, and warps share the channels of the keys. No two threads have a
/// cell of the state in common, and the state stays in the output between tokens.
constexpr int kLightningWarps = 8;
template <class T>
__device__ void lightning_steps(const LightningParameters& p) {
  __shared__ float of_warp[kLightningWarps][32];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t b = blockIdx.x / p.heads, a = blockIdx.x % p.heads, e = int64_t{blockIdx.y} * 32 + lane;
  const bool inside = e < p.width;
  const Operand<2> q = slice<T>(slice<T>(p.q, b), a), k = slice<T>(slice<T>(p.k, b), a);
  const Operand<2> v = slice<T>(slice<T>(p.v, b), a), out = slice<T>(slice<T>(p.out, b), a);
  for (int64_t d = warp; inside && d < p.width; d += kLightningWarps) {
    const float past = load_at(p.past, {b, a, d, e});
    store_at(p.block_states, {0, b, a, d, e}, past);
    if (p.tokens == 0) store_at(p.state, {b, a, d, e}, past);
  }
  const float decay = decay_over<T>(p, a, 1);
  for (int64_t s = 0; s < p.tokens; ++s) {
    const float value = inside ? widen(*at<T>(v, s, e)) : 0.0F;
    float sum = 0.0F;
#pragma unroll 4
    for (int64_t d = warp; d < p.width; d += kLightningWarps) {
      if (!inside) continue;
      const float before = load_at(s == 0 ? p.past : p.state, {b, a, d, e});
      const float increment = rounded<T>(p.round.increment, widen(*at<T>(k, s, d)) * value);
      const float state = renewed<T>(p, before, decay, increment);
      store_at(p.state, {b, a, d, e}, state);
      store_at(p.block_states, {s + 1, b, a, d, e}, state);
      sum += widen(*at<T>(q, s, d)) * rounded<T>(p.round.read_state, state);
    }
    __syncthreads();  // nobody still reads the last sums
    of_warp[warp][lane] = sum;
    __syncthreads();
    if (warp != 0 || !inside) continue;
    for (int other = 1; other < kLightningWarps; ++other) sum += of_warp[other][lane];
    *at<T>(out, s, e) = narrow<T>(sum);
  }
}

}  // namespace parity::optimized::cuda

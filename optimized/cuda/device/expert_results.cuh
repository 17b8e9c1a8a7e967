// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What becomes of the two products of routed experts: activations, and the factor of a slot.
#pragma once

#include "optimized/cuda/device/any.cuh"
#include "optimized/cuda/device/functions.cuh"
#include "optimized/cuda/experts/moe_experts.hpp"

namespace parity::optimized::cuda {

template <class T>
__device__ float rounded(float v, bool rounds) {
  return rounds ? widen(narrow<T>(v)) : v;
}

/// Clamps let NaN pass.
template <class T>
__device__ float activated(const ExpertsParameters& p, float gate, float up) {
  gate = rounded<T>(gate, p.rounds_hidden);
  up = rounded<T>(up, p.rounds_hidden);
  const float g = gate > p.limit ? p.limit : gate;
  const float most = up > p.limit ? p.limit : up, u = most < -p.limit ? -p.limit : most;
  const float sigmoid = rounded<T>(logistic(rounded<T>(g * p.alpha, p.rounds_scaled)), p.rounds_sigmoid);
  return rounded<T>(u + p.offset, p.rounds_shifted) * rounded<T>(g * sigmoid, p.rounds_gated);
}

/// The factor of the sums of a slot.
__device__ inline float factor_of(const ExpertsParameters& p, int32_t slot) {
  return load_any(p.weights, slot / p.routed.slots, slot % p.routed.slots);
}

}  // namespace parity::optimized::cuda

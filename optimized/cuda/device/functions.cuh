// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Functions of numbers in binary32.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

/// 2 to an integer power that a normal number has.
__device__ inline float power_of_two(int32_t n) { return __int_as_float((n + 127) << 23); }

/// Within 2 ulp, subnormal results too. Not expf: its operations, and so its error, depend on the release of nvcc.
__device__ inline float exponential(float x) {
  constexpr float kMost = 89.0F, kLeast = -104.0F;  // beyond them the result is infinity or 0; comparisons let NaN pass
  constexpr float kLog2E = 1.44269502F, kRest = 1.92596299e-8F;  // log2(e) in two parts
  const float below = x > kMost ? kMost : x, within = below < kLeast ? kLeast : below;
  const float whole = rintf(within * kLog2E);
  const float part = fmaf(within, kRest, fmaf(within, kLog2E, -whole));
  float power = 0.0F;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(part));
  const auto n = static_cast<int32_t>(whole);
  return power * power_of_two(n / 2) * power_of_two(n - n / 2);
}

__device__ inline float logistic(float x) { return 1.0F / (1.0F + exponential(-x)); }

}  // namespace parity::optimized::cuda

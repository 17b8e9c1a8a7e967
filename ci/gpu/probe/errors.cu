// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The error of an approximate instruction for every f32, against binary64: block b takes the numbers whose sign and
// exponent are b, and leaves the largest error in ulp of f32 (its bits, high) with the number that has it (low).
// nvcc -ptx -arch=sm_90a -DOPCODE='"ex2.approx.ftz.f32"' -DEXACT=exp2 -DFLUSHES=1
#include <cstdint>

#ifndef OPCODE
#define OPCODE "ex2.approx.ftz.f32"
#define EXACT exp2
#define FLUSHES 1
#endif

__device__ double reciprocal(double x) { return 1.0 / x; }
__device__ double inverse_root(double x) { return 1.0 / sqrt(x); }

__device__ float flushed(float x) { return fabsf(x) < 0x1p-126F ? copysignf(0.0F, x) : x; }

__device__ float error_of(uint32_t bits) {
  const float x = __uint_as_float(bits);
  float y;
  asm volatile(OPCODE " %0, %1;" : "=f"(y) : "f"(x));
  const double exact = EXACT(static_cast<double>(FLUSHES ? flushed(x) : x));
  if (isnan(exact) || isnan(y)) return isnan(exact) == isnan(y) ? 0.0F : INFINITY;
  if (isinf(y) || fabs(exact) >= 0x1.ffffffp127) {
    return isinf(y) && fabs(exact) >= 0x1.fffffcp127 && (y > 0) == (exact > 0) ? 0.0F : INFINITY;
  }
  if (FLUSHES && fabs(exact) < 0x1p-126 && y == 0) return 0.0F;
  const int exponent = exact == 0 ? -126 : max(ilogb(exact), -126);
  return static_cast<float>(fabs(y - exact) * scalbn(1.0, 23 - exponent));
}

extern "C" __global__ void probe(const uint32_t*, const uint32_t*, unsigned long long* worst, void*) {
  __shared__ unsigned long long largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  unsigned long long own = 0;
  for (uint32_t low = threadIdx.x; low < 1U << 23; low += blockDim.x) {
    const uint32_t bits = blockIdx.x << 23 | low;
    const unsigned long long found = static_cast<unsigned long long>(__float_as_uint(error_of(bits))) << 32 | bits;
    own = found > own ? found : own;
  }
  atomicMax(&largest, own);
  __syncthreads();
  if (threadIdx.x == 0) worst[blockIdx.x] = largest;
}

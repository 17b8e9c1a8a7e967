// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// dequantise: sixteen codes of a row at a time where a block of scales holds them all, else one number at a time.
#include "optimized/cuda/linear/coded_rows.hpp"

namespace parity::optimized::cuda {

struct DequantiseParameters {
  CodedRows in;
  Rows out;
  int64_t count;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/coded_vector.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void dequantise(const DequantiseParameters& p) {
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kCodes;
  if (first >= p.count) return;
  const int64_t n = first / p.in.width, k = first % p.in.width;
  float numbers[kCodes];
  load_codes<T>(p.in, n, k, numbers);
  T* to = static_cast<T*>(p.out.at.data) + first;
#pragma unroll
  for (int part = 0; part < kCodes; part += kVector<T>) {
    float some[kVector<T>];
#pragma unroll
    for (int i = 0; i < kVector<T>; ++i) some[i] = numbers[part + i];
    store_vector<T>(to + part, some);
  }
}

extern "C" __global__ void dequantise_f32(const __grid_constant__ DequantiseParameters p) { dequantise<float>(p); }
extern "C" __global__ void dequantise_bf16(const __grid_constant__ DequantiseParameters p) { dequantise<Bf16>(p); }

extern "C" __global__ void dequantise_any(const __grid_constant__ DequantiseParameters p) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < p.count) store_any(p.out, i / p.in.width, i % p.in.width, scaled_code(p.in, i / p.in.width, i % p.in.width));
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/linear/dequantise.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {
namespace {

void dequantise(const Dequantise::Inputs& in, const Dequantise::Params& params, const Dequantise::Outputs& out,
                Context& context) {
  constexpr uint32_t kThreads = 256;
  PARITY_CHECK(out.out.contiguous(), internal, "dequantise writes dense rows");
  PARITY_CHECK(out.out.dtype == DType::f32 || out.out.dtype == DType::bf16, unsupported,
               "dequantise writes f32 and bf16, not {}", to_string(out.out.dtype));
  const int64_t count = in.codes.count();
  if (count == 0) return;
  const DequantiseParameters p{coded_rows_of(in.codes, in.scales, params.exponents), rows_of(out.out), count};
  const bool vectors = p.in.vectors && p.out.vectors;
  const int64_t threads = vectors ? count / kCodes : count;
  launch(context,
         {"dequantise",
          vectors ? std::string("dequantise_") + to_string(out.out.dtype) : "dequantise_any",
          {grid_extent((threads + kThreads - 1) / kThreads)},
          {kThreads}},
         p);
}

}  // namespace

void register_cuda_dequantise(BackendKernels& kernels) {
  kernels.add<Dequantise>("f32", &dequantise, true);
  kernels.add<Dequantise>("bf16", &dequantise, true);
}

}  // namespace parity::optimized::cuda

#endif

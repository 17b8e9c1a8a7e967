// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// linear: tiles for many tokens, whose channels may be shared out and summed later; rows of the weight for a few.
#include "optimized/cuda/linear/product_operands.hpp"

namespace parity::optimized::cuda {

struct LinearParameters {
  ProductOperands product;
  Rows weight;                                                                                                 // (F, H)
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/few_rows.cuh"
#include "optimized/cuda/device/product_store.cuh"

namespace parity::optimized::cuda {

template <class T, class Shape>
__device__ void linear_tile(const LinearParameters& p) {
  extern __shared__ __align__(128) char memory[];
  const int64_t f = static_cast<int64_t>(blockIdx.y) * Shape::kColumns;
  const TileRows<T, Shape::kColumns, Shape::kThreads> weight(
      p.product.width, [&](int row) { return source_of(p.weight, f + row, p.product.rows); });
  product_tile<T, Shape>(p.product, memory, weight);
}

template <class T>
struct DenseWeight {
  static constexpr int kStep = kVector<T>;
  const Rows& weight;
  int64_t rows, width;
  bool vectors;

  __device__ int64_t inside(int64_t f) const { return f < rows ? f : rows - 1; }
  __device__ void load(int64_t f, int64_t k, float (&numbers)[kStep]) const {
    load_vector(static_cast<const T*>(weight.at.data) + inside(f) * weight.at.stride[0] + k, numbers);
  }
  __device__ float one(int64_t f, int64_t k) const { return load_any(weight, inside(f), k); }
};

template <class T, int kTokens, int kRows>
__device__ void linear_few(const LinearParameters& p) {
  const DenseWeight<T> weight{p.weight, p.product.rows, p.product.width,
                              p.product.x.vectors != 0 && p.weight.vectors != 0};
  few_rows<T, kTokens, kRows>(p.product, weight);
}

#define PARITY_LINEAR(name, threads, work) \
  extern "C" __global__ void __launch_bounds__(threads, 1) name(const __grid_constant__ LinearParameters p) { work; }
#define PARITY_LINEAR_OF(type, T)                                                         \
  PARITY_LINEAR(linear_large_##type, LargeTile::kThreads, (linear_tile<T, LargeTile>(p))) \
  PARITY_LINEAR(linear_small_##type, SmallTile::kThreads, (linear_tile<T, SmallTile>(p))) \
  PARITY_LINEAR(linear_few_1_1_##type, kFewThreads, (linear_few<T, 1, 1>(p)))             \
  PARITY_LINEAR(linear_few_4_1_##type, kFewThreads, (linear_few<T, 4, 1>(p)))             \
  PARITY_LINEAR(linear_few_8_1_##type, kFewThreads, (linear_few<T, 8, 1>(p)))             \
  PARITY_LINEAR(linear_few_1_4_##type, kFewThreads, (linear_few<T, 1, 4>(p)))             \
  PARITY_LINEAR(linear_few_4_4_##type, kFewThreads, (linear_few<T, 4, 4>(p)))             \
  PARITY_LINEAR(linear_few_8_4_##type, kFewThreads, (linear_few<T, 8, 4>(p)))
PARITY_LINEAR_OF(f32, float)
PARITY_LINEAR_OF(bf16, Bf16)
extern "C" __global__ void linear_sum(const __grid_constant__ LinearParameters p) { add_pieces(p.product); }

}  // namespace parity::optimized::cuda

#else

#include "optimized/cuda/host_rows.hpp"
#include "optimized/cuda/linear/linear.hpp"
#include "optimized/cuda/linear/linear_sm90.hpp"
#include "optimized/cuda/linear/product_plan.hpp"

namespace parity::optimized::cuda {

template <class T>
void linear(const Linear::Inputs& in, const Linear::Params&, const Linear::Outputs& out, Context& context) {
  const DType type = kDTypeOf<T>;
  const bool native = in.x.dtype == type && in.weight.dtype == type && out.out.dtype == type;
  PARITY_CHECK(native || out.out.dtype == DType::f32, internal,
               "linear with x in {} and weight in {} writes f32, not {}", to_string(in.x.dtype),
               to_string(in.weight.dtype), to_string(out.out.dtype));
  LinearParameters p{};
  p.product.x = rows_of(in.x);
  p.product.out = rows_of(out.out);
  if (!in.bias.empty()) p.product.bias = list_of(in.bias);
  p.product.width = in.x.shape.back();
  p.product.rows = in.weight.shape.front();
  p.product.tokens = p.product.rows == 0 ? 0 : out.out.count() / p.product.rows;
  p.weight = rows_of(in.weight);
  // Numbers of another type than the sums' products are read one by one.
  p.product.x.vectors &= static_cast<int32_t>(native || in.x.dtype == DType::f32);
  p.weight.vectors &= static_cast<int32_t>(native || in.weight.dtype == DType::f32);
  if (native && start_linear_sm90(p.product, p.weight, context)) return add_up_pieces(p, "linear", context);
  start_product(p, "linear", native ? to_string(type) : "f32", context);
}

template void linear<float>(const Linear::Inputs&, const Linear::Params&, const Linear::Outputs&, Context&);
template void linear<BFloat16>(const Linear::Inputs&, const Linear::Params&, const Linear::Outputs&, Context&);

void register_cuda_linear(BackendKernels& kernels) {
  kernels.add<Linear>("f32", &linear<float>, true);
  kernels.add<Linear>("bf16", &linear<BFloat16>, true);
}

}  // namespace parity::optimized::cuda

#endif

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// mxfp8_linear: as linear, with a weight that is decoded on its way into a tile or into registers.
#include "optimized/cuda/linear/coded_rows.hpp"
#include "optimized/cuda/linear/product_operands.hpp"

namespace parity::optimized::cuda {

struct Mxfp8LinearParameters {
  ProductOperands product;
  CodedRows weight;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/few_rows.cuh"
#include "optimized/cuda/device/product_store.cuh"
#include "optimized/cuda/device/tile_codes.cuh"
#include "optimized/cuda/device/tile_product.cuh"

namespace parity::optimized::cuda {

template <class T, class Shape>
__device__ void mxfp8_tile(const Mxfp8LinearParameters& p) {
  extern __shared__ __align__(128) char memory[];
  const TileCodes<T, Shape::kColumns, Shape::kThreads> right(p.weight,
                                                             static_cast<int64_t>(blockIdx.y) * Shape::kColumns);
  product_tile<T, Shape>(p.product, memory, right);
}

template <class T>
struct CodedWeight {
  static constexpr int kStep = kCodes;
  const CodedRows& weight;
  int64_t rows, width;
  bool vectors;

  __device__ int64_t inside(int64_t f) const { return f < rows ? f : rows - 1; }
  __device__ void load(int64_t f, int64_t k, float (&numbers)[kStep]) const {
    load_codes<T>(weight, inside(f), k, numbers);
  }
  __device__ float one(int64_t f, int64_t k) const { return widen(narrow<T>(scaled_code(weight, inside(f), k))); }
};

template <class T, int kTokens, int kRows>
__device__ void mxfp8_few(const Mxfp8LinearParameters& p) {
  const CodedWeight<T> weight{p.weight, p.product.rows, p.product.width,
                              p.product.x.vectors != 0 && p.weight.vectors != 0};
  few_rows<T, kTokens, kRows>(p.product, weight);
}

#define PARITY_MXFP8(name, threads, work)                                                                          \
  extern "C" __global__ void __launch_bounds__(threads, 1) name(const __grid_constant__ Mxfp8LinearParameters p) { \
    work;                                                                                                          \
  }
#define PARITY_MXFP8_OF(type, T)                                                              \
  PARITY_MXFP8(mxfp8_linear_large_##type, LargeTile::kThreads, (mxfp8_tile<T, LargeTile>(p))) \
  PARITY_MXFP8(mxfp8_linear_small_##type, SmallTile::kThreads, (mxfp8_tile<T, SmallTile>(p))) \
  PARITY_MXFP8(mxfp8_linear_few_1_1_##type, kFewThreads, (mxfp8_few<T, 1, 1>(p)))             \
  PARITY_MXFP8(mxfp8_linear_few_4_1_##type, kFewThreads, (mxfp8_few<T, 4, 1>(p)))             \
  PARITY_MXFP8(mxfp8_linear_few_8_1_##type, kFewThreads, (mxfp8_few<T, 8, 1>(p)))             \
  PARITY_MXFP8(mxfp8_linear_few_1_4_##type, kFewThreads, (mxfp8_few<T, 1, 4>(p)))             \
  PARITY_MXFP8(mxfp8_linear_few_4_4_##type, kFewThreads, (mxfp8_few<T, 4, 4>(p)))             \
  PARITY_MXFP8(mxfp8_linear_few_8_4_##type, kFewThreads, (mxfp8_few<T, 8, 4>(p)))
PARITY_MXFP8_OF(f32, float)
PARITY_MXFP8_OF(bf16, Bf16)
extern "C" __global__ void mxfp8_linear_sum(const __grid_constant__ Mxfp8LinearParameters p) { add_pieces(p.product); }

}  // namespace parity::optimized::cuda

#else

#include "core/fusions/mxfp8_linear.hpp"
#include "optimized/cuda/linear/product_plan.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void mxfp8_linear(const Mxfp8Linear::Inputs& in, const Mxfp8Linear::Params&, const Mxfp8Linear::Outputs& out,
                  Context& context) {
  PARITY_CHECK(in.x.dtype == kDTypeOf<T> && out.out.dtype == kDTypeOf<T>, internal,
               "mxfp8_linear is given {} and writes {}, expected {}", to_string(in.x.dtype), to_string(out.out.dtype),
               to_string(kDTypeOf<T>));
  Mxfp8LinearParameters p{};
  p.weight = coded_rows_of(in.codes, in.scales, true);
  p.product.x = rows_of(in.x);
  p.product.out = rows_of(out.out);
  p.product.width = in.x.shape.back();
  p.product.rows = in.codes.shape.front();
  p.product.tokens = p.product.rows == 0 ? 0 : out.out.count() / p.product.rows;
  start_product(p, "mxfp8_linear", to_string(kDTypeOf<T>), context);
}

}  // namespace

void register_cuda_mxfp8_linear(BackendKernels& kernels) {
  kernels.fuse<Mxfp8Linear>("f32", &mxfp8_linear<float>);
  kernels.fuse<Mxfp8Linear>("bf16", &mxfp8_linear<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

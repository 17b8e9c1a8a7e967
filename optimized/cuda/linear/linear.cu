// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// linear: tiles for many tokens, whose channels may be shared out and summed later; rows of the weight for a few.
#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

struct LinearParameters {
  Rows x, weight, bias, out;     // bias.at.data is null without one
  float* partial;                                                             // (P, N, F), null where channels are whole
  int64_t tokens, rows, width, piece;  // channels of a piece
  int64_t pieces;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/few_rows.cuh"
#include "optimized/cuda/device/tile_product.cuh"

namespace parity::optimized::cuda {

__device__ inline float biased(const LinearParameters& p, int64_t f, float sum) {
  return p.bias.at.data == nullptr ? sum : sum + load_any(p.bias, 0, f);
}

/// Results at f and, where it exists, f + 1.
__device__ inline void store_pair(const LinearParameters& p, int64_t n, int64_t f, float first, float second) {
  const bool both = f + 1 < p.rows;
  if (p.partial != nullptr) {
    float* to = p.partial + (blockIdx.z * p.tokens + n) * p.rows + f;
    to[0] = first;
    if (both) to[1] = second;
    return;
  }
  first = biased(p, f, first);
  if (both) second = biased(p, f + 1, second);
  if (both && p.out.vectors && p.out.element == Element::bf16) {  // f is even
    *(static_cast<uint32_t*>(p.out.at.data) + (n * p.out.at.stride[0] + f) / 2) =
        narrow<Bf16>(first).bits | uint32_t{narrow<Bf16>(second).bits} << 16U;
    return;
  }
  store_any(p.out, n, f, first);
  if (both) store_any(p.out, n, f + 1, second);
}

__device__ inline RowSource source_of(const Rows& rows, int64_t n, int64_t count) {
  return {n < count ? row_of(rows, n) : nullptr, rows.at.stride[1], rows.element, rows.vectors != 0};
}

template <class T, class Shape>
__device__ void linear_tile(const LinearParameters& p) {
  extern __shared__ __align__(128) char memory[];
  const int64_t n = static_cast<int64_t>(blockIdx.x) * Shape::kRows, f = static_cast<int64_t>(blockIdx.y) * Shape::kColumns;
  const int64_t first = blockIdx.z * p.piece, last = first + p.piece < p.width ? first + p.piece : p.width;
  TileRows<T, Shape::kRows, Shape::kThreads> left(
      p.width, [&](int row) { return source_of(p.x, n + row, p.tokens); });
  TileRows<T, Shape::kColumns, Shape::kThreads> right(
      p.width, [&](int row) { return source_of(p.weight, f + row, p.rows); });
  TileSums<Shape> sums;
  multiply<T>(sums, memory, left, right, first, last);
  sums.each([&](int row, int column, float a, float b) {
    if (n + row < p.tokens && f + column < p.rows) store_pair(p, n + row, f + column, a, b);
  });
}

template <class T>
struct DenseWeight {
  static constexpr int kStep = kVector<T>;
  const Rows& weight;
  int64_t rows, width;
  bool vectors;

  __device__ int64_t inside(int64_t f) const { return f < rows ? f : rows - 1; }
  __device__ void load(int64_t f, int64_t k, float (&numbers)[kStep]) const {
    load_vector(static_cast<const T*>(row_of(weight, inside(f))) + k, numbers);
  }
  __device__ float one(int64_t f, int64_t k) const { return load_any(weight, inside(f), k); }
};

template <class T, int kTokens, int kRows>
__device__ void linear_few(const LinearParameters& p) {
  const DenseWeight<T> weight{p.weight, p.rows, p.width, p.x.vectors != 0 && p.weight.vectors != 0};
  few_rows<T, kTokens, kRows>(p.x, p.tokens, weight,
                              [&](int64_t f, int r, float sum) { store_any(p.out, r, f, biased(p, f, sum)); });
}

/// Adds the pieces, in their order.
extern "C" __global__ void linear_sum(const __grid_constant__ LinearParameters p) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, count = p.tokens * p.rows;
  if (i >= count) return;
  float sum = 0.0F;
  for (int64_t piece = 0; piece < p.pieces; ++piece) sum += p.partial[piece * count + i];
  store_any(p.out, i / p.rows, i % p.rows, biased(p, i % p.rows, sum));
}

#define PARITY_LINEAR(type, T)                                                                                  \
  extern "C" __global__ void __launch_bounds__(LargeTile::kThreads)                                             \
      linear_large_##type(const __grid_constant__ LinearParameters p) { linear_tile<T, LargeTile>(p); }         \
  extern "C" __global__ void __launch_bounds__(SmallTile::kThreads)                                             \
      linear_small_##type(const __grid_constant__ LinearParameters p) { linear_tile<T, SmallTile>(p); }         \
  PARITY_LINEAR_FEW(type, T, 1, 1) PARITY_LINEAR_FEW(type, T, 4, 1) PARITY_LINEAR_FEW(type, T, 8, 1)            \
  PARITY_LINEAR_FEW(type, T, 1, 4) PARITY_LINEAR_FEW(type, T, 4, 4) PARITY_LINEAR_FEW(type, T, 8, 4)
#define PARITY_LINEAR_FEW(type, T, tokens, rows)                                                                \
  extern "C" __global__ void __launch_bounds__(kFewThreads)                                                     \
      linear_few_##tokens##_##rows##_##type(const __grid_constant__ LinearParameters p) {                       \
    linear_few<T, tokens, rows>(p);                                                                             \
  }
PARITY_LINEAR(f32, float)
PARITY_LINEAR(bf16, Bf16)

}  // namespace parity::optimized::cuda

#else

#include "core/components/linear/linear.hpp"
#include "optimized/cuda/host_rows.hpp"
#include "optimized/cuda/launch.hpp"
#include "optimized/cuda/linear/product_plan.hpp"

namespace parity::optimized::cuda {
namespace {

void by_tiles(LinearParameters p, const std::string& type, Context& context) {
  const ProductPlan plan = plan_of(p.tokens, p.rows, p.width, type == "bf16" ? 64 : 32);
  p.piece = plan.piece;
  p.pieces = plan.pieces;
  if (p.pieces > 1)
    p.partial = context.workspace->take_elements<float>(static_cast<size_t>(p.pieces * p.tokens * p.rows));
  launch(context, {"linear", std::string("linear_") + plan.tile.name + "_" + type, plan.grid(), {plan.tile.threads}, {},
                   plan.tile.shared}, p);
  if (p.pieces == 1) return;
  constexpr uint32_t kThreads = 256;
  launch(context, {"linear", "linear_sum", {grid_extent((p.tokens * p.rows + kThreads - 1) / kThreads)}, {kThreads}}, p);
}

void by_rows(const LinearParameters& p, const std::string& type, Context& context) {
  constexpr int64_t kManyRows = 1024;  // from here on a block each would be too many
  const int64_t at_once = p.rows < kManyRows ? 1 : 4;
  const int tokens = p.tokens == 1 ? 1 : p.tokens <= 4 ? 4 : 8;
  launch(context, {"linear", fmt::format("linear_few_{}_{}_{}", tokens, at_once, type),
                   {grid_extent((p.rows + at_once - 1) / at_once)}, {128}}, p);
}

template <class T>
void linear(const Linear::Inputs& in, const Linear::Params&, const Linear::Outputs& out, Context& context) {
  const DType type = kDTypeOf<T>;
  const bool native = in.x.dtype == type && in.weight.dtype == type && out.out.dtype == type;
  PARITY_CHECK(native || out.out.dtype == DType::f32, internal, "linear of {} and {} writes f32, not {}",
               to_string(in.x.dtype), to_string(in.weight.dtype), to_string(out.out.dtype));
  LinearParameters p{};
  p.x = rows_of(in.x);
  p.weight = rows_of(in.weight);
  p.out = rows_of(out.out);
  if (!in.bias.empty()) p.bias = list_of(in.bias);
  p.width = in.x.shape.back();
  p.rows = in.weight.shape.front();
  p.tokens = p.rows == 0 ? 0 : out.out.count() / p.rows;
  if (p.tokens == 0) return;
  // Rows of other types than the products' are read one number at a time.
  p.x.vectors &= static_cast<int32_t>(native || in.x.dtype == DType::f32);
  p.weight.vectors &= static_cast<int32_t>(native || in.weight.dtype == DType::f32);
  const std::string name = native ? to_string(type) : "f32";
  p.tokens <= kFewTokens ? by_rows(p, name, context) : by_tiles(p, name, context);
}

}  // namespace

void register_cuda_linear(BackendKernels& kernels) {
  kernels.add<Linear>("f32", &linear<float>, true);
  kernels.add<Linear>("bf16", &linear<BFloat16>, true);
}

}  // namespace parity::optimized::cuda

#endif

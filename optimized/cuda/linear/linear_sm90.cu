// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// linear of many tokens for compute capability 9.0, in place of the tiles of linear.cu.
#include "optimized/cuda/linear/linear_sm90.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/group_product.cuh"

namespace parity::optimized::cuda {

#define PARITY_LINEAR_SM90(columns)                                                                          \
  extern "C" __global__ void __launch_bounds__(kGroupBlockThreads, 1)                                        \
      linear_sm90_##columns(const __grid_constant__ LinearSm90Parameters p) {                                \
    extern __shared__ __align__(kSwizzled) char linear_memory[];                                             \
    using Tile = GroupTile<columns>;                                                                         \
    group_product<Tile>(p.product, p.x, p.weight, *reinterpret_cast<typename Tile::Memory*>(linear_memory)); \
  }
PARITY_LINEAR_SM90(128)
PARITY_LINEAR_SM90(256)
#undef PARITY_LINEAR_SM90

}  // namespace parity::optimized::cuda

#else

#include "optimized/cuda/linear/product_plan.hpp"

namespace parity::optimized::cuda {
namespace {

constexpr int64_t kStages = 4, kChannels = TensorBoxes::kRow, kRowBytes = 128;

constexpr Tile group_tile(const char* name, int64_t columns) {
  constexpr uint32_t barriers = 2 * kStages * 8;
  return {name, 128, columns, kGroupBlockThreads,
          static_cast<uint32_t>(kStages * (128 + columns) * kRowBytes) + barriers};
}

}  // namespace

bool start_linear_sm90(ProductOperands& product, const Rows& weight, const Context& context) {
  constexpr int64_t kManyTokens = 64, kProcessors = 132;  // of an H100, each with one block
  CudaPlace& place = cuda_place(context);
  const bool types = product.x.element == Element::bf16 && weight.element == Element::bf16;
  const bool rows = product.x.vectors != 0 && weight.vectors != 0 && product.width > 0;
  if (place.capability() != kGroupCapability || product.tokens <= kManyTokens || !types || !rows) return false;
  constexpr Tile wide = group_tile("256", 256), narrow = group_tile("128", 128);
  const int64_t down = parts_of(product.tokens, wide.rows);
  // Half as many wide tiles take as long as narrow ones on all processors, and load less.
  const Tile tile = 2 * down * parts_of(product.rows, wide.columns) < kProcessors ? narrow : wide;
  const auto boxes = [&](const Rows& of, int64_t count, int64_t of_box) {
    return boxes_of_rows(of.at.data, {count, product.width, of.at.stride[0]}, static_cast<uint32_t>(of_box));
  };
  const TensorBoxes x = boxes(product.x, product.tokens, tile.rows), w = boxes(weight, product.rows, tile.columns);
  if (!boxes_fit(x) || !boxes_fit(w)) return false;
  const ProductPlan plan = plan_of(product, kChannels, tile, kProcessors);
  share_out(product, plan, context);
  launch(context, {"linear_sm90", std::string("linear_sm90_") + tile.name, plan.grid, {tile.threads}, {}, tile.shared},
         LinearSm90Parameters{place.tensor_map(x), place.tensor_map(w), product});
  return true;
}

}  // namespace parity::optimized::cuda

#endif

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// lightning_attention. Without a past: first, in parallel, what each block adds to the state; then the states, one
// after the other; then, in parallel, the rows of all blocks. With a past: token by token.
#include "optimized/cuda/lightning/lightning_parameters.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/lightning_block.cuh"
#include "optimized/cuda/device/lightning_state.cuh"

namespace parity::optimized::cuda {

/// `single`: factors that are not rounded to bf16 are multiplied in binary32.
#define PARITY_LIGHTNING_BLOCKS(type, T, Tile)                                    \
  extern "C" __global__ void __launch_bounds__(LightningTile::kThreads)           \
      lightning_increment_##type(const __grid_constant__ LightningParameters p) { \
    __shared__ __align__(128) char memory[LightningTile::kSharedBytes];           \
    lightning_increment<T, Tile>(p, memory);                                      \
  }                                                                               \
  extern "C" __global__ void __launch_bounds__(LightningTile::kThreads)           \
      lightning_rows_##type(const __grid_constant__ LightningParameters p) {      \
    __shared__ __align__(128) char memory[LightningTile::kSharedBytes];           \
    LightningRowTile<T, Tile>(p, memory).run();                                   \
  }
#define PARITY_LIGHTNING(type, T)                                             \
  extern "C" __global__ void __launch_bounds__(256, 1)                        \
      lightning_scan_##type(const __grid_constant__ LightningParameters p) {  \
    lightning_scan<T>(p);                                                     \
  }                                                                           \
  extern "C" __global__ void __launch_bounds__(256, 1)                        \
      lightning_steps_##type(const __grid_constant__ LightningParameters p) { \
    lightning_steps<T>(p);                                                    \
  }
PARITY_LIGHTNING(f32, float)
PARITY_LIGHTNING(bf16, Bf16)
PARITY_LIGHTNING_BLOCKS(f32, float, float)
PARITY_LIGHTNING_BLOCKS(bf16, Bf16, Bf16)
PARITY_LIGHTNING_BLOCKS(bf16_single, Bf16, float)

}  // namespace parity::optimized::cuda

#else

#include "core/components/lightning/lightning_attention.hpp"
#include "optimized/cuda/host_rows.hpp"
#include "optimized/cuda/launch.hpp"
#include "optimized/cuda/vectors.hpp"

namespace parity::optimized::cuda {
namespace {

/// The axes from `first` on; others are of one.
template <int rank>
LightningOperand<rank> lightning_operand(const TensorView& view, size_t first = 0) {
  LightningOperand<rank> result{{nullptr, {}}, Element::f32};
  if (view.empty()) return result;
  PARITY_CHECK(
      view.rank() >= rank + static_cast<int64_t>(first) && (view.dtype == DType::f32 || view.dtype == DType::bf16),
      internal, "lightning_attention is given {} of shape {}; f32 or bf16 is needed", to_string(view.dtype),
      to_string(view.shape));
  result.at.data = view.data;
  for (size_t axis = 0; axis < rank; ++axis) result.at.stride[axis] = view.strides[first + axis];
  result.element = element_of(view.dtype);
  return result;
}

template <class T>
LightningRounds lightning_rounds(const Context& context) {
  if (sizeof(T) == sizeof(float)) return {};
  const auto round = points_of<LightningAttention>(context);
  const auto rounds = [](const Round& point) { return point.precision == Precision::working; };
  return {rounds(round.score),     rounds(round.decayed_score), rounds(round.query),    rounds(round.key),
          rounds(round.intra),     rounds(round.inter),         rounds(round.exponent), rounds(round.decay),
          rounds(round.increment), rounds(round.decayed_state), rounds(round.state),    rounds(round.read_state)};
}

template <class T>
LightningParameters lightning_parameters(const LightningAttention::Inputs& in, const LightningAttention::Outputs& out,
                                         const Context& context) {
  const auto q = in.q.as<T, 4>(), k = in.k.as<T, 4>(), v = in.v.as<T, 4>();                              // (B, A, S, D)
  const auto result = out.out.as<T, 4>();                                                                // (B, A, S, D)
  PARITY_CHECK(q.extent == k.extent && q.extent == v.extent && q.extent == result.extent, internal,
               "lightning_attention reads and writes operands of one shape");
  LightningParameters p{operand(q),
                        operand(k),
                        operand(v),
                        operand(result),
                        lightning_operand<4>(out.intra),
                        lightning_operand<4>(out.inter),
                        lightning_operand<4>(in.past),
                        lightning_operand<4>(out.state),
                        lightning_operand<5>(out.block_states),
                        lightning_operand<1>(in.slope_rate),
                        lightning_operand<2>(in.query_decay),
                        lightning_operand<2>(in.key_decay),
                        lightning_operand<3>(in.diagonal_decay, 1),
                        nullptr,
                        q.extent[1],
                        q.extent[2],
                        q.extent[3],
                        in.query_decay.shape[1],
                        0,
                        lightning_rounds<T>(context),
                        has_vectors(q) && has_vectors(k) && has_vectors(v)};
  PARITY_CHECK(p.size > 0, schema, "lightning_attention: tables are for blocks of {} tokens; 1 or more is needed",
               p.size);
  p.blocks = (p.tokens + p.size - 1) / p.size;
  const int64_t states = (in.past.empty() ? p.blocks : p.tokens) + 1;
  PARITY_CHECK(out.block_states.empty() || out.block_states.shape[0] == states, internal,
               "lightning_attention has {} states to record, the output holds {}", states, out.block_states.shape[0]);
  return p;
}

template <class T>
void lightning_attention(const LightningAttention::Inputs& in, const LightningAttention::Params&,
                         const LightningAttention::Outputs& out, Context& context) {
  constexpr int64_t kSide = 64, kCells = 256, kLanes = 32;  // as the kernels' tiles and blocks
  constexpr uint32_t kTileThreads = 128, kThreads = 256;
  LightningParameters p = lightning_parameters<T>(in, out, context);
  const int64_t pairs = in.q.shape[0] * p.heads;
  if (pairs == 0 || p.width == 0) return;
  const auto parts = [](int64_t count, int64_t size) { return (count + size - 1) / size; };
  const std::string module = "lightning_attention", type = to_string(kDTypeOf<T>);
  if (!in.past.empty()) {
    const Dim grid{grid_extent(pairs), grid_extent(parts(p.width, kLanes))};
    return launch(context, {module, "lightning_steps_" + type, grid, {kThreads}}, p);
  }
  const size_t cells = static_cast<size_t>(pairs * std::max<int64_t>(p.blocks, 1) * p.width * p.width);
  p.cells = context.workspace->take_elements<float>(cells);
  const LightningRounds& round = p.round;
  const bool pairs_of_half = round.decayed_score && round.query && round.key && round.state;
  const std::string tile = type + (sizeof(T) == sizeof(float) || pairs_of_half ? "" : "_single");
  const int64_t across = parts(p.width, kSide), blocks = pairs * p.blocks;
  launch(context,
         {module, "lightning_increment_" + tile, {grid_extent(blocks), grid_extent(across * across)}, {kTileThreads}},
         p);
  launch(context,
         {module,
          "lightning_scan_" + type,
          {grid_extent(pairs), grid_extent(parts(p.width * p.width, kCells))},
          {kThreads}},
         p);
  launch(context,
         {module,
          "lightning_rows_" + tile,
          {grid_extent(blocks * parts(p.size, kSide)), grid_extent(across)},
          {kTileThreads}},
         p);
}

}  // namespace

void register_cuda_lightning_attention(BackendKernels& kernels) {
  kernels.add<LightningAttention>("f32", &lightning_attention<float>, true);
  kernels.add<LightningAttention>("bf16", &lightning_attention<BFloat16>, true);
}

}  // namespace parity::optimized::cuda

#endif

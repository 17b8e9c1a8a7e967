// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/index/index_block_scores.hpp"

#include <omp.h>

#include "optimized/backends.hpp"
#include "optimized/cpu/index/index_tiles.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

constexpr int64_t kTileLeast = 16;   // with fewer tokens most lanes of a tile are empty
constexpr int64_t kChunk = 1 << 12;  // slots in one piece of work

template <class T>
struct Functions {
  void (*tile)(const cpu::IndexTile<T>&);
  void (*few)(const cpu::IndexTile<T>&);
  void (*scores)(const cpu::IndexScores<T>&);
};
const Functions<float> kSingle{&cpu::index_tile_f32, &cpu::index_few_f32, &cpu::index_scores_f32};
const Functions<BFloat16> kHalf{&cpu::index_tile_bf16, &cpu::index_few_bf16, &cpu::index_scores_bf16};

template <class T>
struct Call {
  Span<T, 4> q, k;                                                                         // (B, X, S, I), (B, 1, K, I)
  Span<int64_t, 2> positions;                                                                                  // (B, S)
  Span<float, 4> out;                                                                                    // (B, X, S, J)
  bool shared;
  int64_t block_size;
  float scale;

  [[nodiscard]] cpu::IndexTile<T> of(int64_t b, float* scratch) const {
    return {.q = q.data + b * q.stride[0],
            .k = k.data + b * k.stride[0],
            .positions = positions.data + b * positions.stride[0],
            .out = out.data + b * out.stride[0],
            .scratch = scratch,
            .first = 0,
            .last = q.extent[2],
            .first_block = 0,
            .last_block = out.extent[3],
            .q_head = q.stride[1],
            .q_token = q.stride[2],
            .k_slot = k.stride[2],
            .position = positions.stride[1],
            .out_head = out.stride[1],
            .out_token = out.stride[2],
            .heads = q.extent[1],
            .slots = k.extent[2],
            .width = q.extent[3],
            .block_size = block_size,
            .scale = scale,
            .shared = shared};
  }
};

template <class T>
Call<T> call_of(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                const IndexBlockScores::Outputs& out) {
  Call<T> call{in.q.as<T, 4>(),   in.k.as<T, 4>(),   in.positions.as<int64_t, 2>(),   {},
               !params.per_group, params.block_size, static_cast<float>(params.scale)};
  TensorView pooled = out.block_scores;
  if (!params.per_group) {                                                        // (B, S, J), with an axis of one head
    pooled.shape.insert(pooled.shape.begin() + 1, 1);
    pooled.strides.insert(pooled.strides.begin() + 1, 0);
  }
  call.out = pooled.as<float, 4>();
  PARITY_CHECK(params.scale > 0.0, unsupported, "index_block_scores: scale is {}; a positive one is needed",
               params.scale);
  PARITY_CHECK(params.block_size > 0, schema, "block_size is {}; 1 or more is needed", params.block_size);
  const bool dense = (call.q.extent[3] <= 1 || (call.q.stride[3] == 1 && call.k.stride[3] == 1)) &&
                     (call.out.extent[3] <= 1 || call.out.stride[3] == 1);
  PARITY_CHECK(dense, internal, "index_block_scores needs rows with contiguous channels");
  return call;
}

/// Divides the work by tokens and slots. The last tokens see most slots, so they are computed first.
template <class T>
void pool(const Call<T>& call, const Functions<T>& run, Context& context) {
  const int64_t tokens = call.q.extent[2], blocks = call.out.extent[3];
  const bool few = tokens < kTileLeast;
  const int64_t step = few ? std::max<int64_t>(tokens, 1) : cpu::kIndexTokens;
  const int64_t tiles = (tokens + step - 1) / step;
  const int64_t chunk = std::max<int64_t>(kChunk / call.block_size, 1);
  const int64_t chunks = (blocks + chunk - 1) / chunk;
  const int64_t floats = cpu::index_scratch(call.q.extent[3]);
  auto* scratch = context.workspace->take_elements<float>(static_cast<size_t>(floats * omp_get_max_threads()));
  cpu::in_pieces(call.q.extent[0] * tiles * chunks, 1, [&](int64_t piece, int64_t) {
    cpu::IndexTile<T> tile = call.of(piece / chunks / tiles, scratch + floats * omp_get_thread_num());
    tile.first = (tiles - 1 - piece / chunks % tiles) * step;
    tile.last = std::min(tile.first + step, tokens);
    tile.first_block = piece % chunks * chunk;
    tile.last_block = std::min(tile.first_block + chunk, blocks);
    (few ? run.few : run.tile)(tile);
  });
}

template <class T, const Functions<T>& run>
void index_block_scores(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                        const IndexBlockScores::Outputs& out, Context& context) {
  const Call<T> call = call_of<T>(in, params, out);
  pool(call, run, context);
  if (out.scores.empty()) return;
  const auto scores = out.scores.as<float, 4>();                                                         // (B, X, S, K)
  PARITY_CHECK(scores.extent[3] <= 1 || scores.stride[3] == 1, internal,
               "index_block_scores needs an output of dense rows");
  const int64_t tokens = call.q.extent[2];
  cpu::in_pieces(call.q.extent[0] * tokens, 1, [&](int64_t row, int64_t) {
    const int64_t b = row / tokens, s = row % tokens;
    const cpu::IndexTile<T> all = call.of(b, nullptr);
    run.scores({all.q, all.k, scores.data + b * scores.stride[0], s, s + 1, all.q_head, all.q_token, all.k_slot,
                scores.stride[1], scores.stride[2], all.heads, all.slots, all.width, all.scale});
  });
}

}  // namespace

void register_cpu_index_block_scores(BackendKernels& kernels) {
  kernels.add<IndexBlockScores>("f32", &index_block_scores<float, kSingle>);
  kernels.add<IndexBlockScores>("bf16", &index_block_scores<BFloat16, kHalf>);
}

}  // namespace parity::optimized

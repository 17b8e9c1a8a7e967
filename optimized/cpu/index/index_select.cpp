// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/index/index_select.hpp"

#include <omp.h>

#include "optimized/backends.hpp"
#include "optimized/cpu/index/select_rows.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

void check(const Span<int64_t, 2>& positions, const IndexSelect::Params& params, int64_t count) {
  PARITY_CHECK(params.block_size > 0, schema, "block_size is {}; 1 or more is needed", params.block_size);
  for (int64_t b = 0; b < positions.extent[0]; ++b) {
    for (int64_t s = 0; s < positions.extent[1]; ++s)
      PARITY_CHECK(positions(b, s) / params.block_size < count, schema,
                   "index_select: position {} lies beyond the {} key blocks", positions(b, s), count);
  }
}

void index_select(const IndexSelect::Inputs& in, const IndexSelect::Params& params, const IndexSelect::Outputs& out,
                  Context& context) {
  constexpr int64_t kGrain = 64;                         // queries
  const auto scores = in.block_scores.as<float, 3>();                                        // (B, S, J) or (B*X, S, J)
  const auto positions = in.positions.as<int64_t, 2>();                                                        // (B, S)
  const auto blocks = out.blocks.as<int64_t, 3>();                                           // (B, S, T) or (B*X, S, T)
  Span<float, 3> forced;                                                                     // (B, S, J) or (B*X, S, J)
  if (!out.forced_scores.empty()) forced = out.forced_scores.as<float, 3>();
  const int64_t count = scores.extent[2], tokens = scores.extent[1];
  const bool dense = (count <= 1 || (scores.stride[2] == 1 && (forced.data == nullptr || forced.stride[2] == 1))) &&
                     (blocks.extent[2] <= 1 || blocks.stride[2] == 1);
  PARITY_CHECK(dense, internal, "index_select needs rows with contiguous blocks");
  if (scores.extent[0] == 0 || tokens == 0) return;
  check(positions, params, count);
  const int64_t lists_per_row = scores.extent[0] / positions.extent[0];
  const int64_t pieces = (tokens + kGrain - 1) / kGrain;
  const int64_t bytes = cpu::select_scratch(count);
  std::byte* scratch = context.workspace->take(static_cast<size_t>(bytes * omp_get_max_threads()));
  cpu::in_pieces(scores.extent[0] * pieces, 1, [&](int64_t piece, int64_t) {
    const int64_t r = piece / pieces, first = piece % pieces * kGrain;
    cpu::select_rows({.scores = scores.data + r * scores.stride[0],
                      .positions = positions.data + r / lists_per_row * positions.stride[0],
                      .forced = forced.data == nullptr ? nullptr : forced.data + r * forced.stride[0],
                      .blocks = blocks.data + r * blocks.stride[0],
                      .scratch = scratch + bytes * omp_get_thread_num(),
                      .first = first,
                      .last = std::min(first + kGrain, tokens),
                      .count = count,
                      .slots = blocks.extent[2],
                      .score_row = scores.stride[1],
                      .position = positions.stride[1],
                      .forced_row = forced.stride[1],
                      .block_row = blocks.stride[1],
                      .block_size = params.block_size,
                      .top_k = params.top_k,
                      .local_blocks = params.local_blocks,
                      .init_blocks = params.init_blocks});
  });
}

}  // namespace

void register_cpu_index_select(BackendKernels& kernels) {
  kernels.add<IndexSelect>("f32", &index_select);
  kernels.add<IndexSelect>("bf16", &index_select);  // scores are binary32 in every type
}

}  // namespace parity::optimized

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Bytes at different addresses of the launches of MSA: what a sample of blocks cannot tell.
#include <algorithm>
#include <set>

#include "benches/msa/msa_counters.hpp"

namespace parity::benches {
namespace {

constexpr int64_t kIdBytes = 8, kScoreBytes = 4;

uint64_t rows_bytes(int64_t rows, const AttentionShape& shape, DType type) {
  return static_cast<uint64_t>(rows * shape.width * size_of(type));
}

uint64_t queries_bytes(const AttentionShape& shape, DType type) {
  return rows_bytes(shape.batch * shape.queries * shape.heads, shape, type);
}

uint64_t scores_of(const AttentionShape& shape) {
  return static_cast<uint64_t>(shape.batch * shape.index_heads * shape.queries * shape.blocks());
}

/// Slots of the blocks that any query of a key head selects, of all key heads.
int64_t selected_slots(const AttentionShape& shape, const Tensor& blocks) {
  const int64_t lists = blocks.shape()[1], of_list = blocks.shape()[2] * blocks.shape()[3];
  int64_t slots = 0;
  for (int64_t b = 0; b < shape.batch; ++b) {
    for (int64_t x = 0; x < lists; ++x) {
      const int64_t* ids = blocks.i64() + (b * lists + x) * of_list;
      const std::set<int64_t> chosen(ids, ids + of_list);
      int64_t of_head = 0;
      for (const int64_t block : chosen)
        of_head += block < 0 ? 0 : std::max<int64_t>(std::min(kBlock, shape.slots - block * kBlock), 0);
      slots += of_head * shape.key_heads / lists;
    }
  }
  return slots;
}

}  // namespace

ptx::UniqueBytes unique_of_dense(const AttentionShape& shape, DType type) {
  const uint64_t keys = rows_bytes(shape.batch * shape.slots * shape.key_heads, shape, type);
  return {{}, queries_bytes(shape, type) + 2 * keys, queries_bytes(shape, type)};
}

ptx::UniqueBytes unique_of_sparse(const AttentionShape& shape, DType type, const Tensor& blocks) {
  const uint64_t keys = rows_bytes(selected_slots(shape, blocks), shape, type);
  const auto lists = static_cast<uint64_t>(blocks.view().count() * kIdBytes);
  return {{}, queries_bytes(shape, type) + 2 * keys + lists, queries_bytes(shape, type)};
}

ptx::UniqueBytes unique_of_index(const AttentionShape& shape, DType type) {
  const int64_t rows = shape.batch * (shape.queries * shape.index_heads + shape.slots);
  const auto positions = static_cast<uint64_t>(shape.batch * shape.queries * kIdBytes);
  return {{}, rows_bytes(rows, shape, type) + positions, scores_of(shape) * kScoreBytes};
}

ptx::UniqueBytes unique_of_select(const AttentionShape& shape) {
  const int64_t rows = shape.batch * shape.index_heads * shape.queries;
  const int64_t own = rows;  // a query's own block counts as infinity: its score is not read
  const auto positions = static_cast<uint64_t>(shape.batch * shape.queries * kIdBytes);
  return {{},
          (scores_of(shape) - static_cast<uint64_t>(own)) * kScoreBytes + positions,
          static_cast<uint64_t>(rows * std::min(kTopK, shape.blocks()) * kIdBytes)};
}

}  // namespace parity::benches

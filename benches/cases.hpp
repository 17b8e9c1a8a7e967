// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The timed calls of each component, and the work of each call. Kernels do not state their work.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benches/call.hpp"
#include "benches/peaks/roofline.hpp"

namespace parity::benches {

/// Returns the work of a call: every input read once, every output written once, of banks only the chosen members, and
/// the products and sums that the component declares.
[[nodiscard]] Work work_of(const Call& call);

/// A case for f32 and bf16. `make` draws the operands.
struct BenchCase {
  std::string component, id;  // "prefill-1024"
  std::function<Call(DType, uint64_t)> make;
  std::function<Work(const Call&)> work = work_of;

  /// "attention_dense/prefill-1024/bf16"
  [[nodiscard]] std::string name(DType type) const { return component + "/" + id + "/" + to_string(type); }
};
[[nodiscard]] const std::vector<BenchCase>& bench_cases();

/// Returns where outputs are judged: the first row, the last, and a drawn row of each key head with its query heads.
[[nodiscard]] std::vector<Slice> slices_of(const Call& call, uint64_t seed);

// ---- attention, which the table takes at sizes of its own --------------------------------------------------------------
struct AttentionShape {
  int64_t batch = 1, queries = 1, slots = 1;  // the queries stand in the last slots
  int64_t heads = 16, key_heads = 1, index_heads = 1, width = 128;

  [[nodiscard]] int64_t blocks() const { return (slots + 127) / 128; }
};
inline constexpr int64_t kBlock = 128, kTopK = 16;

/// What a call's queries and keys hold: drawn numbers, or whatever new memory of a place holds.
struct Values {
  uint64_t seed = 1;
  Place* undrawn = nullptr;

  Values(uint64_t drawn) : seed(drawn) {}  // NOLINT(google-explicit-constructor): a seed is what most calls have
  explicit Values(Place& place) : undrawn(&place) {}
};

[[nodiscard]] Call dense_call(const AttentionShape& shape, DType type, const Values& values);
/// Returns a call of attention_block_sparse; `blocks` (B, X, S, T) holds the ids of key blocks.
[[nodiscard]] Call sparse_call(const AttentionShape& shape, DType type, const Values& values, const Tensor& blocks);
[[nodiscard]] Call index_call(const AttentionShape& shape, DType type, const Values& values);
/// The call has the place of the scores.
[[nodiscard]] Call select_call(const AttentionShape& shape, DType type, const Tensor& block_scores);
[[nodiscard]] Work dense_work(const AttentionShape& shape, DType type);
[[nodiscard]] Work sparse_work(const AttentionShape& shape, DType type);
/// Returns the work of the indexer; none if every block is selected anyway.
[[nodiscard]] Work index_work(const AttentionShape& shape, DType type);

}  // namespace parity::benches

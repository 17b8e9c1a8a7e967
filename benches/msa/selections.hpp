// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The key blocks that the queries of a benchmark select. What neighbours share decides what a kernel can reuse.
#pragma once

#include "benches/cases.hpp"

namespace parity::benches {

enum class Selection : uint8_t {
  model,   // blocks that the indexer selects from drawn queries and keys
  sticky,  // correlated: own and local blocks, others kept from token to token as in a trained model
  random,  // drawn independently for each token
};
[[nodiscard]] const char* to_string(Selection selection);
[[nodiscard]] Selection parse_selection(const std::string& name);  // Error{usage}

/// The share of a token's blocks that the token before it selected too, measured on the published model; for `sticky`.
inline constexpr double kOverlap = 0.87;

/// Returns drawn lists (B, X, S, T) for `sticky` or `random`: the query's own block first, -1 after the last.
[[nodiscard]] Tensor drawn_blocks(const AttentionShape& shape, Selection selection, uint64_t seed);
/// Returns drawn scores (B, X, S, J) in binary32, -inf for blocks after the query's own.
[[nodiscard]] Tensor drawn_scores(const AttentionShape& shape, uint64_t seed);
/// Returns the mean share of a token's blocks that the token before it selected too, over tokens that select a subset.
[[nodiscard]] double overlap_of(const Tensor& blocks, const AttentionShape& shape);

}  // namespace parity::benches

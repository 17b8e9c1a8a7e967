// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which key blocks the queries of a benchmark select: how much neighbours share decides what a kernel can reuse.
#pragma once

#include "benches/cases.hpp"

namespace parity::benches {

enum class Selection : uint8_t {
  model,   // what the indexer makes of drawn queries and keys
  sticky,  // correlated: own and local blocks, the rest kept from token to token as a trained model keeps them
  random,  // independent for each token
};
[[nodiscard]] const char* to_string(Selection selection);
[[nodiscard]] Selection parse_selection(const std::string& name);  // Error{usage}

/// Of `sticky`: share of a token's blocks that the token before it selected too, as measured on the published model.
inline constexpr double kOverlap = 0.87;

/// (B, X, S, T), the own block first, -1 after the last; sticky or random.
[[nodiscard]] Tensor drawn_blocks(const AttentionShape& shape, Selection selection, uint64_t seed);
/// (B, X, S, J) in binary32, -inf after the query's own block.
[[nodiscard]] Tensor drawn_scores(const AttentionShape& shape, uint64_t seed);
/// Mean share of a token's blocks that the token before it selected too, of tokens that have to choose.
[[nodiscard]] double overlap_of(const Tensor& blocks, const AttentionShape& shape);

}  // namespace parity::benches

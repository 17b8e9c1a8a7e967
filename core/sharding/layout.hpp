// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How a model is divided among ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity {

/// How tokens reach experts that are divided among data-parallel groups (Layout::dispatch).
inline constexpr const char* kAllToAll = "all-to-all";   // a token goes to the ranks that have experts of it
inline constexpr const char* kAllGather = "all-gather";  // every token goes to every rank

/// The numbers of ranks in each dimension. Tensor and expert parallelism share their ranks: with tp 4 and ep 4, four
/// ranks divide both the attention and the experts. With `dispatch`, the ranks of all data-parallel groups together
/// divide the experts: ep is tp times dp. Context and data parallelism repeat them for other tokens and
/// sequences. Ranks of one tensor-parallel group are neighbours, then those of one context-parallel group.
struct Layout {
  int64_t tp = 1;          // tensor parallel: ranks among which weights are divided
  int64_t ep = 1;          // expert parallel: ranks among which whole experts are divided
  int64_t cp = 1;          // context parallel: groups of ranks among which the tokens of a sequence are divided
  int64_t dp = 1;          // data parallel: groups of ranks among which the sequences are divided
  std::string rules;       // the package whose rules divide the weights; empty: that of the profile
  std::string dispatch{};  // kAllToAll or kAllGather; empty: each group has all experts

  [[nodiscard]] bool dispatches() const { return !dispatch.empty(); }
  /// Ranks that compute the same tokens, except for dispatched ones.
  [[nodiscard]] int64_t group() const { return tp > ep || dispatches() ? tp : ep; }
  [[nodiscard]] int64_t ranks() const { return group() * cp * dp; }
  [[nodiscard]] bool single() const { return ranks() == 1; }
  [[nodiscard]] std::vector<std::pair<std::string, int64_t>> dimensions() const {
    return {{"tp", tp}, {"ep", ep}, {"cp", cp}, {"dp", dp}};
  }
  /// "tp 4, dp 2", "ep 2, dp 2, dispatch all-to-all"; "1 rank" for a single one.
  [[nodiscard]] std::string text() const;
};

/// Indices [first, first + count).
struct Range {
  int64_t first = 0;
  int64_t count = 0;

  [[nodiscard]] int64_t end() const { return first + count; }
};
/// Ascending ranges that do not touch each other.
using Ranges = std::vector<Range>;
[[nodiscard]] int64_t count_of(const Ranges& ranges);

/// Share `rank` of `extent` indices in chunks of equal length, rounded up: later shares may be shorter, or empty.
[[nodiscard]] Range chunk_of(int64_t extent, int64_t rank, int64_t ranks);
/// Share `rank` of `heads` heads. With fewer heads than ranks, each is repeated on neighbouring ranks. Throws
/// Error{unsupported} if neither number is a multiple of the other; `what` begins the message.
[[nodiscard]] Range heads_of(int64_t heads, int64_t rank, int64_t ranks, const std::string& what);

/// The tokens of a context-parallel rank: chunks `rank` and 2 ranks - 1 - rank of 2 ranks, so that causal attention costs
/// every rank the same.
[[nodiscard]] Ranges zigzag_of(int64_t tokens, int64_t rank, int64_t ranks);

/// The prefix of the taps of one rank: "ranks/03/".
[[nodiscard]] std::string rank_prefix(int64_t rank);

}  // namespace parity

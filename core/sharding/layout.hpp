// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How a model is divided among ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity {

/// The numbers of ranks in each dimension. Tensor and expert parallelism share their ranks: with tp 4 and ep 4, four
/// ranks divide both the attention and the experts. Data parallelism repeats them for other sequences.
struct Layout {
  int64_t tp = 1;     // tensor parallel: ranks among which weights are divided
  int64_t ep = 1;     // expert parallel: ranks among which whole experts are divided
  int64_t dp = 1;     // data parallel: groups of ranks among which the sequences are divided
  std::string rules;  // the package whose rules divide the weights; empty: that of the profile

  [[nodiscard]] int64_t group() const { return tp > ep ? tp : ep; }  // ranks that compute the same sequences
  [[nodiscard]] int64_t ranks() const { return group() * dp; }
  [[nodiscard]] bool single() const { return ranks() == 1; }
  [[nodiscard]] std::vector<std::pair<std::string, int64_t>> dimensions() const {
    return {{"tp", tp}, {"ep", ep}, {"dp", dp}};
  }
  /// "tp 4, dp 2"; "1 rank" for a single one.
  [[nodiscard]] std::string text() const;
};

/// Indices [first, first + count).
struct Range {
  int64_t first = 0;
  int64_t count = 0;
};

/// Share `rank` of `extent` indices in chunks of equal length, rounded up: later shares may be shorter, or empty.
[[nodiscard]] Range chunk_of(int64_t extent, int64_t rank, int64_t ranks);
/// Share `rank` of `heads` heads. With fewer heads than ranks, each is repeated on neighbouring ranks. Throws
/// Error{unsupported} if neither number is a multiple of the other; `what` begins the message.
[[nodiscard]] Range heads_of(int64_t heads, int64_t rank, int64_t ranks, const std::string& what);

/// The prefix of the taps of one rank: "ranks/03/".
[[nodiscard]] std::string rank_prefix(int64_t rank);

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Spreads work over several processes that do not talk to each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::cli {

/// One of several parts of a run, counted from 1: "2/4".
struct ShardNumber {
  int64_t index = 1, of = 1;

  [[nodiscard]] std::string text() const;
};

/// Reads "2/4". Throws Error{usage} for any other text, and for an index outside 1 to n.
[[nodiscard]] ShardNumber parse_shard(const std::string& text);

/// The positions of the pieces that each of `shards` processes takes, in rising order. The dearest piece goes first, to
/// the shard with the least cost so far; of equals, the earlier piece and the lower shard. The result depends on the
/// costs alone, so that every process finds the same. `costs` are above 0, and `shards` are at most as many.
[[nodiscard]] std::vector<std::vector<size_t>> spread_costs(const std::vector<double>& costs, int64_t shards);

}  // namespace parity::cli

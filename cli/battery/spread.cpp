// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/battery/spread.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/error.hpp"

namespace parity::cli {

std::string ShardNumber::text() const { return fmt::format("{}/{}", index, of); }

ShardNumber parse_shard(const std::string& text) {
  constexpr int64_t kMost = 100000;
  ShardNumber shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  const auto of = slash ? std::from_chars(index.ptr + 1, end, shard.of) : index;
  PARITY_CHECK(slash && of.ec == std::errc() && of.ptr == end, usage,
               "--shard '{}' is not INDEX/COUNT; write 2/4 for the second of four shards", text);
  PARITY_CHECK(shard.of >= 1 && shard.of <= kMost && shard.index >= 1 && shard.index <= shard.of, usage,
               "--shard {}: INDEX must be 1 to COUNT, and COUNT at most {}", text, kMost);
  return shard;
}

std::vector<std::vector<size_t>> spread_costs(const std::vector<double>& costs, int64_t shards) {
  PARITY_CHECK(shards >= 1 && static_cast<size_t>(shards) <= costs.size(), internal,
               "{} cases or goldens cannot be divided into {} shards", costs.size(), shards);
  std::vector<size_t> order(costs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  std::vector<double> loads(static_cast<size_t>(shards), 0.0);
  std::vector<std::vector<size_t>> result(loads.size());
  for (const size_t piece : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += costs[piece];
    result[static_cast<size_t>(least - loads.begin())].push_back(piece);
  }
  for (auto& pieces : result) std::sort(pieces.begin(), pieces.end());
  return result;
}

}  // namespace parity::cli

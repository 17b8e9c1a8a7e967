// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/layout.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace parity {

std::string Layout::text() const {
  std::vector<std::string> parts;
  for (const auto& [name, count] : dimensions()) {
    if (count > 1) parts.push_back(fmt::format("{} {}", name, count));
  }
  if (dispatches()) parts.push_back("dispatch " + dispatch);
  return parts.empty() ? "1 rank" : fmt::format("{}", fmt::join(parts, ", "));
}

Range chunk_of(int64_t extent, int64_t rank, int64_t ranks) {
  const int64_t length = (extent + ranks - 1) / ranks;
  const int64_t first = std::min(rank * length, extent);
  return {first, std::min(length, extent - first)};
}

Range heads_of(int64_t heads, int64_t rank, int64_t ranks, const std::string& what) {
  PARITY_CHECK(heads % ranks == 0 || ranks % heads == 0, unsupported, "{}: {} heads cannot be divided among {} ranks",
               what, heads, ranks);
  return {rank * heads / ranks, std::max<int64_t>(heads / ranks, 1)};
}

int64_t count_of(const Ranges& ranges) {
  int64_t count = 0;
  for (const Range& range : ranges) count += range.count;
  return count;
}

Ranges zigzag_of(int64_t tokens, int64_t rank, int64_t ranks) {
  Ranges own;
  for (const int64_t chunk : {rank, 2 * ranks - 1 - rank}) {
    const Range range = chunk_of(tokens, chunk, 2 * ranks);
    if (range.count == 0) continue;
    if (!own.empty() && own.back().end() == range.first) {
      own.back().count += range.count;
    } else {
      own.push_back(range);
    }
  }
  return own;
}

std::string rank_prefix(int64_t rank) { return fmt::format("ranks/{:02}/", rank); }

}  // namespace parity

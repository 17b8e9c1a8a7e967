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

std::string rank_prefix(int64_t rank) { return fmt::format("ranks/{:02}/", rank); }

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/rank_names.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include <fmt/ranges.h>

namespace parity {
namespace {

constexpr std::string_view kRanks = "ranks/";

/// The end of "ranks/03/" in the name; 0 if it does not begin so.
size_t end_of_rank(const std::string& tap) {
  if (!tap.starts_with(kRanks)) return 0;
  size_t end = kRanks.size();
  while (end < tap.size() && std::isdigit(static_cast<unsigned char>(tap[end])) != 0) ++end;
  return end > kRanks.size() && end < tap.size() && tap[end] == '/' ? end + 1 : 0;
}

/// The number of ranks in a dimension; nullptr if there is none of that name.
int64_t* dimension(Layout& layout, const std::string& name) {
  return name == "tp"   ? &layout.tp
         : name == "ep" ? &layout.ep
         : name == "cp" ? &layout.cp
         : name == "dp" ? &layout.dp
                        : nullptr;
}

/// Sets a dimension, or the rules.
bool set(Layout& layout, const std::string& name, const std::string& value) {
  if (name == "rules") {
    layout.rules = value;
    return !value.empty();
  }
  if (name == "dispatch") {
    layout.dispatch = value;
    return value == kAllToAll || value == kAllGather;
  }
  int64_t* const known = dimension(layout, name);
  if (known == nullptr) return false;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), *known);
  return read.ec == std::errc() && read.ptr == value.data() + value.size() && *known >= 1;
}

}  // namespace

int64_t rank_of_tap(const std::string& tap) {
  const size_t end = end_of_rank(tap);
  if (end == 0) return -1;
  int64_t rank = -1;
  std::from_chars(tap.data() + kRanks.size(), tap.data() + end - 1, rank);
  return rank;
}

std::string without_rank(const std::string& tap) { return tap.substr(end_of_rank(tap)); }

std::string ranks_text(std::vector<int64_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::string> runs;
  for (size_t i = 0; i < ranks.size();) {
    size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    runs.push_back(last == i ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]));
    i = last + 1;
  }
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(runs, ", "));
}

Layout parse_layout(const std::string& text) {
  Layout layout;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(", ", at), text.size());
    const std::string part = text.substr(at, comma - at);
    const size_t blank = part.find(' ');
    const bool known = blank != std::string::npos && set(layout, part.substr(0, blank), part.substr(blank + 1));
    PARITY_CHECK(known, usage, "'{}' in '{}' is not a dimension of a layout; write for example 'tp 2, dp 2'", part,
                 text);
    at = comma + 2;
  }
  return layout;
}

std::string layout_text(const Layout& layout) {
  if (layout.single()) return {};
  return layout.text() + (layout.rules.empty() ? "" : ", rules " + layout.rules);
}

bool is_own_to_rank(const Plan& plan, const std::string& tap) {
  const auto known = plan.taps.find(tap);
  if (known == plan.taps.end() || known->second.producer < 0) return false;
  const auto& part = known->second.part;  // optional results of experts keep their name, and nothing reads them
  return part ? part->partial && without_rank(tap) != part->tap : rank_of_tap(tap) >= 0;
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/positions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parity::compare {
namespace {

using Kind = Positions::Kind;
using Runs = std::vector<std::pair<int64_t, int64_t>>;

Runs runs_of(const std::vector<bool>& hit) {
  Runs runs;
  for (size_t p = 0; p < hit.size(); ++p) {
    const auto at = static_cast<int64_t>(p);
    if (!hit[p]) continue;
    if (p > 0 && hit[p - 1]) {
      runs.back().second = at;
    } else {
      runs.emplace_back(at, at);
    }
  }
  return runs;
}

/// Sets a period if `runs` are at least three stretches of equal width and distance. The last may be cut short.
bool set_complete_period(const Runs& runs, Positions& result) {
  if (runs.size() < 3) return false;
  const int64_t width = runs[0].second - runs[0].first + 1;
  const int64_t period = runs[1].first - runs[0].first;
  for (size_t r = 0; r < runs.size(); ++r) {
    const int64_t own = runs[r].second - runs[r].first + 1;
    const bool cut = r + 1 == runs.size() && runs[r].second + 1 == result.extent;
    if (runs[r].first != runs[0].first + static_cast<int64_t>(r) * period) return false;
    if (cut ? own > width : own != width) return false;
  }
  result.kind = Kind::periodic;
  result.period = period;
  result.width = width;
  return true;
}

/// Sets a period if all positions are multiples of one distance apart: by chance, true of one in 2^(n-1) sets of n.
bool set_partial_period(const Runs& runs, Positions& result) {
  constexpr int64_t kFewest = 12;
  if (result.count < kFewest || static_cast<int64_t>(runs.size()) != result.count) return false;
  int64_t period = 0;
  for (const auto& run : runs) period = std::gcd(period, run.first - runs[0].first);
  if (period < 2) return false;
  result.kind = Kind::periodic;
  result.period = period;
  result.width = 1;
  return true;
}

/// Sets a period if all positions are in one stretch, of at most half a block, of every block of 8, 16, … positions.
bool set_block_period(const std::vector<bool>& hit, Positions& result) {
  constexpr int64_t kFewest = 24;
  if (result.count < kFewest) return false;
  for (const int64_t period : {8, 16, 32, 64, 128, 256}) {
    if (4 * period > result.extent) break;
    int64_t least = period, most = -1;
    for (int64_t p = 0; p < result.extent; ++p) {
      if (!hit[static_cast<size_t>(p)]) continue;
      least = std::min(least, p % period);
      most = std::max(most, p % period);
    }
    const int64_t blocks = result.last / period - result.first / period + 1;
    if (2 * (most - least + 1) > period || blocks < 3) continue;
    result.kind = Kind::periodic;
    result.period = period;
    result.width = most - least + 1;
    result.first = result.first / period * period + least;
    return true;
  }
  return false;
}

/// Whether positions as dense as these would rarely leave the ends of the axis free by chance.
bool ends_are_free(const Positions& p) {
  constexpr double kChance = 1e-3;
  const auto within = static_cast<double>(p.last - p.first + 1);
  const double outside = static_cast<double>(p.extent) - within;
  const double empty = std::log1p(-std::min(static_cast<double>(p.count) / within, 1.0 - 1e-9));
  return outside * empty < std::log(kChance);
}

std::string ordinal(int64_t n) {
  const bool teen = n % 100 / 10 == 1;
  return fmt::format("{}{}", n,
                     !teen && n % 10 == 1   ? "st"
                     : !teen && n % 10 == 2 ? "nd"
                     : !teen && n % 10 == 3 ? "rd"
                                            : "th");
}

/// Describes a stretch beyond its numbers, such as "the second half": the most specific of the true descriptions.
std::string place_of(int64_t first, int64_t last, int64_t extent) {
  constexpr int64_t kTiles[] = {256, 128, 64, 32, 16, 8};
  const int64_t length = last - first + 1;
  const bool to_end = last + 1 == extent;
  if (extent % 2 == 0 && extent >= 4 && 2 * length == extent && (first == 0 || to_end))
    return first == 0 ? " (the first half)" : " (the second half)";
  for (const int64_t tile : kTiles) {
    if (length == tile && first % tile == 0) return fmt::format(" (an aligned tile of {})", tile);
  }
  for (const int64_t tile : kTiles) {
    if (to_end && first > 0 && first % tile == 0 && length < tile)
      return fmt::format(" (the incomplete last tile of {})", tile);
  }
  if (to_end) return " (to the end)";
  for (const int64_t tile : kTiles) {
    if (first % tile == 0 && length % tile == 0) return fmt::format(" (aligned to {})", tile);
  }
  return {};
}

/// Returns the plural of a word such as "token". An axis letter of the format is returned unchanged.
std::string several(const std::string& word) {
  return !word.empty() && word.back() >= 'a' && word.back() <= 'z' ? word + "s" : word;
}

std::string text_of_run(int64_t first, int64_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
}

std::string text_of_period(const Positions& p) {
  const bool whole = p.first < p.period && p.last + p.period >= p.extent;
  const std::string seen = p.count == p.size() ? "" : fmt::format(", {} of them", p.count);
  const std::string within = whole ? "" : fmt::format(" of {}..{}", p.first, p.last);
  if (p.width > 1) {
    const int64_t offset = p.first % p.period;
    return fmt::format("{} {}..{} of every {}{}{}", several(p.word), offset, offset + p.width - 1, p.period,
                       whole ? "" : fmt::format(", within {}..{}", p.first, p.last), seen);
  }
  if (p.period == 2) return fmt::format("{} {}{}{}", p.first % 2 == 0 ? "even" : "odd", several(p.word), within, seen);
  const std::string from = whole && p.first > 0 ? fmt::format(" from {} on", p.first) : "";
  return fmt::format("every {} {}{}{}{}", ordinal(p.period), p.word, from, within, seen);
}

}  // namespace

int64_t Positions::size() const {
  int64_t total = 0;
  switch (kind) {
    case Kind::every:
      return extent;
    case Kind::one:
      return 1;
    case Kind::range:
    case Kind::loose:
      return last - first + 1;
    case Kind::runs:
      for (const auto& run : runs) total += run.second - run.first + 1;
      return total;
    case Kind::periodic:
      break;
  }
  const int64_t length = last - first + 1;
  return length / period * width + std::min(length % period, width);
}

std::string Positions::text() const {
  switch (kind) {
    case Kind::every:
      return count == extent ? "" : fmt::format("{} of {} {}", count, extent, several(word));
    case Kind::one:
      return fmt::format("{} {}{}", word, first, extent > 2 && first + 1 == extent ? " (the last)" : "");
    case Kind::range:
      return fmt::format("{} {}..{}{}", several(word), first, last, place_of(first, last, extent));
    case Kind::periodic:
      return text_of_period(*this);
    case Kind::loose:
      return fmt::format("{} of {} {}..{}{}", count, several(word), first, last,
                         last + 1 == extent ? " (to the end)" : "");
    case Kind::runs:
      break;
  }
  std::vector<std::string> parts;
  for (const auto& [from, to] : runs) parts.push_back(text_of_run(from, to));
  return fmt::format("{} {}", several(word), fmt::join(parts, " + "));
}

Positions positions_of(const std::string& word, const std::vector<bool>& hit) {
  constexpr size_t kFewRuns = 4;
  Positions result;
  result.word = word;
  result.extent = static_cast<int64_t>(hit.size());
  result.count = std::count(hit.begin(), hit.end(), true);
  const Runs runs = runs_of(hit);
  if (result.count == 0 || result.count == result.extent) return result;
  result.first = runs.front().first;
  result.last = runs.back().second;
  if (runs.size() == 1) {
    result.kind = result.count == 1 ? Kind::one : Kind::range;
  } else if (set_complete_period(runs, result) || set_partial_period(runs, result) || set_block_period(hit, result)) {
    return result;
  } else if (runs.size() <= kFewRuns && 2 * result.count <= result.extent) {
    result.kind = Kind::runs;
    result.runs = runs;
  } else if (ends_are_free(result)) {
    result.kind = Kind::loose;
  } else {
    result.first = 0;
    result.last = result.extent - 1;
  }
  return result;
}

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/value_moves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parity::compare {
namespace {

double log2_of(int64_t n) { return std::log2(static_cast<double>(std::max<int64_t>(n, 1))); }

std::string named(const Slices& slices, int64_t first, int64_t last) {
  return first == last ? fmt::format("{} {}", slices.word(), first)
                       : fmt::format("{} {}..{}", plural(slices.word()), first, last);
}

/// Returns the move that exchanges two stretches of `width` positions.
Move exchange(const Slices& slices, int64_t a, int64_t b, int64_t width, double cost) {
  const auto source = [=](int64_t p) {
    if (p >= a && p < a + width) return p - a + b;
    return p >= b && p < b + width ? p - b + a : p;
  };
  const std::string detail =
      width == 1 ? fmt::format("{} {} and {} exchanged", plural(slices.word()), a, b)
                 : fmt::format("{} and {} exchanged", named(slices, a, a + width - 1), named(slices, b, b + width - 1));
  return {ValueKind::exchanged, detail, source, cost};
}

/// Adds exchanges of two of the halves, thirds or quarters of the axis, and rotations of the thirds.
void add_parts(const Slices& slices, std::vector<Move>& moves) {
  const std::array<const char*, 5> names{"", "", "halves", "thirds", "quarters"};
  for (int64_t parts = 2; parts < static_cast<int64_t>(names.size()); ++parts) {
    const int64_t width = slices.extent() / parts;
    if (slices.extent() % parts != 0 || width < 2) continue;
    for (int64_t a = 0; a < parts; ++a) {
      for (int64_t b = a + 1; b < parts; ++b) {
        Move move = exchange(slices, a * width, b * width, width, log2_of(parts * parts));
        const std::string which =
            parts == 2 ? "the halves" : fmt::format("{} {} and {}", names[static_cast<size_t>(parts)], a + 1, b + 1);
        move.detail = fmt::format("{} of the {} exchanged", which, plural(slices.word()));
        moves.push_back(std::move(move));
      }
    }
    if (parts != 3) continue;
    for (const int64_t turn : {width, 2 * width}) {
      const int64_t extent = slices.extent();
      moves.push_back({ValueKind::exchanged, fmt::format("the thirds of the {} rotated by one", plural(slices.word())),
                       [=](int64_t p) { return (p + turn) % extent; }, 2.0});
    }
  }
}

/// Returns the divisors of n from `least` to n / 2.
std::vector<int64_t> divisors(int64_t n, int64_t least) {
  std::vector<int64_t> result;
  for (int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    for (const int64_t each : std::set<int64_t>{d, n / d}) {
      if (each >= least && each < n) result.push_back(each);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Returns distances at which some wrong slices find their values, the most frequent first, then the shorter. A slice
/// that is found at many distances (zeros, padding) counts less for each of them.
std::vector<int64_t> distances(const Slices& slices) {
  constexpr size_t kAsked = 9, kMost = 12;
  const auto& wrong = slices.wrong();
  const size_t asked = std::min(kAsked, wrong.size());
  std::map<int64_t, double> votes;
  for (size_t k = 0; k < asked; ++k) {
    const int64_t p = wrong[asked == 1 ? 0 : k * (wrong.size() - 1) / (asked - 1)];
    const auto sources = slices.sources(p);
    for (const int64_t q : sources) {
      if (q != p) votes[p - q] += 1.0 / static_cast<double>(sources.size());
    }
  }
  std::vector<std::pair<double, int64_t>> order;  // sorts ascending: the best distance has the lowest key
  for (const auto& [distance, said] : votes) order.emplace_back(-said, distance);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first, std::abs(a.second), a.second) < std::tuple(b.first, std::abs(b.second), b.second);
  });
  std::vector<int64_t> result;
  for (size_t k = 0; k < std::min(kMost, order.size()); ++k) result.push_back(order[k].second);
  return result;
}

/// Describes a distance: "one token late", "3 channels early".
std::string lateness(const Slices& slices, int64_t distance) {
  const int64_t far = std::abs(distance);
  const std::string count = far == 1 ? "one " + slices.word() : fmt::format("{} {}", far, plural(slices.word()));
  return fmt::format("{} {}", count, distance > 0 ? "late" : "early");
}

int64_t modulo(int64_t x, int64_t n) { return (x % n + n) % n; }

/// Returns the shorter equal distance on an axis that wraps around: 5 of 6 early is one late.
int64_t shorter_way(int64_t distance, int64_t n) {
  const int64_t late = modulo(distance, n);
  return 2 * late > n ? late - n : late;
}

void add_shift(const Slices& slices, int64_t distance, std::vector<Move>& moves) {
  const int64_t extent = slices.extent(), low = slices.wrong().front(), high = slices.wrong().back();
  const double cost = log2_of(extent) + 2.0;
  const int64_t length = high - low + 1;
  const auto add = [&](int64_t by, const std::string& how, const std::function<int64_t(int64_t)>& source) {
    moves.push_back({ValueKind::shifted, lateness(slices, by) + how, source, cost});
  };
  add(distance, " (no wraparound)", [=](int64_t p) {
    if (p < low || p > high) return p;
    return p - distance < 0 || p - distance >= extent ? kNowhere : p - distance;
  });
  add(distance, ", the last one repeated",
      [=](int64_t p) { return p < low || p > high ? p : std::clamp<int64_t>(p - distance, 0, extent - 1); });
  add(shorter_way(distance, extent), " (with wraparound)", [=](int64_t p) { return modulo(p - distance, extent); });
  if (length == extent) return;
  add(shorter_way(distance, length), fmt::format(" (with wraparound within {})", named(slices, low, high)),
      [=](int64_t p) { return p < low || p > high ? p : low + modulo(p - low - distance, length); });
}

/// Returns the move of a matrix read by columns: position i * columns + j of [first, first + rows * columns) has the
/// value of j * rows + i. If `again`, every such stretch is moved.
Move read_by_columns(int64_t first, int64_t rows, int64_t columns, bool again, std::string detail) {
  const int64_t length = rows * columns;
  const auto source = [=](int64_t p) {
    if (p < first || (!again && p >= first + length)) return p;
    const int64_t start = first + (p - first) / length * length, at = p - start;
    return start + at % columns * rows + at / columns;
  };
  return {ValueKind::interleaved, std::move(detail), source, 0.0};
}

void add_both_ways(const Slices& slices, int64_t first, int64_t length, bool again, std::vector<Move>& moves) {
  const std::string all = plural(slices.word());
  const std::string where = again                       ? fmt::format(" in every {}", length)
                            : length == slices.extent() ? ""
                                                        : fmt::format(" of {}..{}", first, first + length - 1);
  for (const int64_t ways : {2, 3, 4}) {
    if (length % ways != 0 || length / ways < 2) continue;
    const std::string parts = ways == 2 ? "halves" : ways == 3 ? "thirds" : "quarters";
    // With two rows of two, both ways are equal.
    moves.push_back(read_by_columns(first, length / ways, ways, again,
                                    fmt::format("{} alternate where {}{} are expected", all, parts, where)));
    moves.push_back(read_by_columns(first, ways, length / ways, again,
                                    fmt::format("{} of {}{} where they alternate", parts, all, where)));
    moves[moves.size() - 2].cost = moves.back().cost = log2_of(slices.extent());
  }
}

}  // namespace

std::string plural(const std::string& word) {
  return !word.empty() && word.back() >= 'a' && word.back() <= 'z' ? word + "s" : word;
}

void add_exchanges(const Slices& slices, std::vector<Move>& moves) {
  const auto& wrong = slices.wrong();
  if (wrong.size() < 2) return;
  if (wrong.size() == 2) moves.push_back(exchange(slices, wrong[0], wrong[1], 1, 0.0));
  add_parts(slices, moves);
  const int64_t extent = slices.extent();
  for (int64_t half = 1; 2 * half < extent; half *= 2) {
    const int64_t block = 2 * half;
    const std::string what = half == 1 ? fmt::format("every two neighbouring {} exchanged", plural(slices.word()))
                                       : fmt::format("halves exchanged in every {} {}", block, plural(slices.word()));
    moves.push_back({ValueKind::exchanged, what,
                     [=](int64_t p) {  // an incomplete last block is not moved
                       const int64_t start = p / block * block;
                       return start + block <= extent ? start + (p - start + half) % block : p;
                     },
                     log2_of(extent)});
  }
  // The slices of each stretch find their values in the other, at the distance between the two.
  const int64_t low = wrong.front(), high = wrong.back();
  for (const int64_t distance : distances(slices)) {
    const int64_t far = std::abs(distance), width = high - low - far + 1;
    if (width > 1 && width <= far) moves.push_back(exchange(slices, low, low + far, width, log2_of(extent)));
  }
}

void add_reversals(const Slices& slices, std::vector<Move>& moves) {
  constexpr int64_t kLeast = 3;  // two positions would be an exchange
  const auto& wrong = slices.wrong();
  if (wrong.size() < 2) return;
  const int64_t extent = slices.extent();
  std::set<int64_t> sums{extent - 1, wrong.front() + wrong.back()};
  for (const int64_t q : slices.sources(wrong.front())) sums.insert(wrong.front() + q);
  for (const int64_t sum : sums) {
    // The stretch around the middle that includes all wrong slices.
    const int64_t low = std::min(wrong.front(), sum - wrong.back()), high = sum - low;
    if (low < 0 || high >= extent || high - low + 1 < kLeast) continue;
    const bool whole = low == 0 && high == extent - 1;
    moves.push_back({ValueKind::reversed,
                     fmt::format("{} reversed", whole ? plural(slices.word()) : named(slices, low, high)),
                     [=](int64_t p) { return p < low || p > high ? p : sum - p; }, whole ? 0.0 : log2_of(extent)});
  }
  for (const int64_t block : divisors(extent, kLeast)) {
    moves.push_back({ValueKind::reversed, fmt::format("{} reversed within every {}", plural(slices.word()), block),
                     [=](int64_t p) { return p / block * block + block - 1 - p % block; }, log2_of(extent)});
  }
}

void add_shifts(const Slices& slices, std::vector<Move>& moves) {
  if (slices.wrong().size() < 2) return;  // a single slice is not a shift
  for (const int64_t distance : distances(slices)) add_shift(slices, distance, moves);
}

void add_interleavings(const Slices& slices, std::vector<Move>& moves) {
  const auto& wrong = slices.wrong();
  if (wrong.size() < 2) return;
  const int64_t extent = slices.extent();
  add_both_ways(slices, 0, extent, false, moves);
  // The first and the last position of an interleaved stretch do not move.
  const int64_t first = std::max<int64_t>(wrong.front() - 1, 0), length = wrong.back() + 2 - first;
  if (length < extent && first + length <= extent) add_both_ways(slices, first, length, false, moves);
  for (const int64_t block : divisors(extent, 4)) add_both_ways(slices, 0, block, true, moves);
}

void add_repetitions(const Slices& slices, std::vector<Move>& moves) {
  const auto& wrong = slices.wrong();
  if (wrong.size() < 2 || static_cast<int64_t>(wrong.size()) + 1 < slices.extent()) return;
  for (const int64_t q : slices.sources(wrong.front())) {
    moves.push_back({ValueKind::constant,
                     fmt::format("all {} hold the values of {} {}", plural(slices.word()), slices.word(), q),
                     [=](int64_t) { return q; }, log2_of(slices.extent())});
  }
}

void add_permutation(const Slices& slices, std::vector<Move>& moves) {
  constexpr size_t kShort = 8;
  constexpr double kBijection = 1.4427;  // log2(e): bits per slice by which n! is less than n^n
  std::map<int64_t, int64_t> holds;
  std::set<int64_t> used;
  const auto fewest = static_cast<double>(slices.wrong().size()) * (1.0 - kNearlyAll);
  int64_t missing = 0;
  for (const int64_t p : slices.wrong()) {
    const auto sources = slices.sources(p);
    if (sources.empty() && static_cast<double>(++missing) > fewest) return;
    if (sources.empty()) continue;
    const auto fresh =
        std::find_if(sources.begin(), sources.end(), [&](int64_t q) { return q != p && !used.contains(q); });
    const int64_t q = fresh == sources.end() ? sources.front() : *fresh;
    used.insert(q);
    holds[p] = q;
  }
  std::vector<int64_t> places, values;
  for (const auto& [p, q] : holds) {
    places.push_back(p);
    values.push_back(q);
  }
  const bool bijection = used == std::set<int64_t>(places.begin(), places.end());
  std::string detail;
  if (places.size() == 1)
    detail = fmt::format("{0} {1} holds the values of {0} {2}", slices.word(), places[0], values[0]);
  else if (places.size() <= kShort)
    detail = fmt::format("{} {} hold the values of {}", plural(slices.word()), fmt::join(places, ", "),
                         fmt::join(values, ", "));
  else
    detail = fmt::format("{} {} in another order", places.size(), plural(slices.word()));
  const double each = std::max(0.0, log2_of(slices.extent()) - (bijection ? kBijection : 0.0));
  moves.push_back({ValueKind::permuted, std::move(detail),
                   [holds](int64_t p) {
                     const auto found = holds.find(p);
                     return found == holds.end() ? p : found->second;
                   },
                   each * static_cast<double>(places.size())});
}

}  // namespace parity::compare

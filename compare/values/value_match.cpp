// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/value_match.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "compare/values/value_view.hpp"

namespace parity::compare {
namespace {

/// Returns the rank of a kind, the most specific first (see value_match.hpp).
int rank(ValueKind kind) {
  constexpr std::array kOrder{
      ValueKind::unwritten,   ValueKind::nan,         ValueKind::rounded,   ValueKind::truncated, ValueKind::zero,
      ValueKind::constant,    ValueKind::negated,     ValueKind::exchanged, ValueKind::reversed,  ValueKind::shifted,
      ValueKind::interleaved, ValueKind::transposed,  ValueKind::scaled,    ValueKind::offset,    ValueKind::input,
      ValueKind::stale,       ValueKind::scaled_rows, ValueKind::permuted};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), kind) - kOrder.begin());
}

/// Returns the best claim. Shares within a hundredth count as equal, since single elements may be lost by a rounding.
/// Among equal kinds the one with more evidence wins, at equal evidence the first.
const Claim* best_of(const std::vector<Claim>& claims, int64_t wrongs) {
  const Claim* best = nullptr;
  for (const Claim& claim : claims) {
    if (static_cast<double>(claim.explained) < kNearlyAll * static_cast<double>(wrongs)) continue;
    if (claim.evidence < kLeastEvidence) continue;
    const auto better = [&](const Claim& other) {
      constexpr double kAlike = 0.01;
      const auto apart = static_cast<double>(claim.explained - other.explained) / static_cast<double>(wrongs);
      if (std::abs(apart) > kAlike) return apart > 0.0;
      if (claim.own_axes != other.own_axes) return claim.own_axes;
      if (rank(claim.kind) != rank(other.kind)) return rank(claim.kind) < rank(other.kind);
      return claim.evidence > other.evidence;
    };
    if (best == nullptr || better(*best)) best = &claim;
  }
  return best;
}

std::optional<ValueMatch> matched(const ValueQuery& query, ValueView::Closeness closeness) {
  const ValueView view(query, closeness);
  if (view.wrong().empty()) return std::nullopt;
  std::vector<Claim> claims;
  for (const auto claims_of : {claims_of_numbers, claims_of_moves, claims_of_transposing, claims_of_rounding,
                               claims_of_arithmetic, claims_of_rows, claims_of_copies, claims_of_ids}) {
    const auto found = claims_of(view);
    claims.insert(claims.end(), found.begin(), found.end());
  }
  const Claim* best = best_of(claims, view.wrongs());
  if (best == nullptr) return std::nullopt;
  return ValueMatch{best->kind, best->axis, best->detail,
                    static_cast<double>(best->explained) / static_cast<double>(view.wrongs())};
}

}  // namespace

std::optional<ValueMatch> match_values(const ValueQuery& query) {
  // Compares by bits first: if undamaged elements have the reference's bits, this finds damage within the tolerance.
  const auto by_bits = matched(query, ValueView::Closeness::bits);
  if (by_bits && by_bits->explains == 1.0) return by_bits;
  auto allowed = matched(query, ValueView::Closeness::allowed);
  return allowed ? allowed : by_bits;
}

}  // namespace parity::compare

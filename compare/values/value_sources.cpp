// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds wrong values that are expected elsewhere along an axis, by testing every named move on the slices.
#include <algorithm>

#include <fmt/format.h>

#include "compare/values/value_moves.hpp"

namespace parity::compare {
namespace {

/// Returns a claim for the wrong slices that the move explains, or nullopt if too many do not fit, or if slices that
/// the move would change are right.
std::optional<Claim> tested(const Slices& slices, const Move& move) {
  const ValueView& view = slices.view();
  const double most = (1.0 - kNearlyAll) * static_cast<double>(view.wrongs());
  Claim claim{move.kind, slices.letter(), move.detail, 0, 0.0, slices.own_axes()};
  std::vector<int64_t> elements;
  int64_t unexplained = 0, moved = 0;
  for (const int64_t p : slices.wrong()) {
    const int64_t q = move.source(p);
    const bool explained = q == kNowhere ? slices.is_zero(p) : q != p && slices.holds(p, q);
    if (explained) {
      claim.explained += slices.wrong_at(p);
      moved += q == kNowhere ? 0 : 1;
      if (q != kNowhere) slices.add_sources(p, q, elements);
    } else if (static_cast<double>(unexplained += slices.wrong_at(p)) > most) {
      return std::nullopt;
    }
  }
  if (moved == 0 || (move.kind == ValueKind::shifted && moved < 2)) return std::nullopt;
  int64_t contradictions = 0;
  constexpr int64_t kOneIn = 50;  // of these slices, one may be right by chance although the move changes it
  for (int64_t p = 0; p < slices.extent(); ++p) {
    const int64_t q = move.source(p);
    if (slices.wrong_at(p) > 0 || q == p || q == kNowhere || slices.holds(p, q)) continue;
    if (++contradictions * kOneIn > moved) return std::nullopt;
  }
  claim.evidence = view.surprise_of(elements) - move.cost;
  return claim;
}

}  // namespace

std::vector<Claim> claims_of_moves(const ValueView& view) {
  std::vector<Claim> claims;
  for (const Layout& layout : layouts_of(view)) {
    for (size_t axis = 0; axis < layout.extents.size(); ++axis) {
      if (layout.extents[axis] < 2) continue;
      const Slices slices(view, layout, axis);
      std::vector<Move> moves;
      for (const auto add :
           {add_exchanges, add_reversals, add_shifts, add_interleavings, add_repetitions, add_permutation})
        add(slices, moves);
      const std::string place = view.place(slices.letter());
      for (const Move& move : moves) {
        auto claim = tested(slices, move);
        if (!claim) continue;
        if (!place.empty()) claim->detail += " in " + place;
        claims.push_back(std::move(*claim));
      }
    }
  }
  return claims;
}

}  // namespace parity::compare

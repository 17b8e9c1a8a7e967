// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds wrong values that were written or read in another order of the axes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/values/value_moves.hpp"

namespace parity::compare {
namespace {

/// A box of contiguous positions along every axis.
struct Box {
  Shape first, extents, strides;

  [[nodiscard]] int64_t count() const { return element_count(extents); }
  /// Returns the element with flat index `flat` in row-major order of the axes listed in `order`.
  [[nodiscard]] int64_t element(int64_t flat, const std::vector<size_t>& order) const {
    int64_t place = 0;  // unlisted axes have one position
    for (size_t axis = 0; axis < first.size(); ++axis) place += first[axis] * strides[axis];
    for (size_t k = order.size(); k-- > 0;) {
      const size_t axis = order[k];
      place += flat % extents[axis] * strides[axis];
      flat /= extents[axis];
    }
    return place;
  }
};

/// Returns the smallest box around all wrong elements; if `whole`, with the full extent of each axis that varies.
Box box_of(const ValueView& view, const Layout& layout, bool whole) {
  const size_t rank = layout.extents.size();
  Box box{Shape(rank), Shape(rank), Shape(rank, 1)};
  for (size_t axis = rank - 1; axis-- > 0;) box.strides[axis] = box.strides[axis + 1] * layout.extents[axis + 1];
  Shape low(layout.extents), high(rank, 0);
  for (const int64_t i : view.wrong()) {
    for (size_t axis = 0; axis < rank; ++axis) {
      const int64_t p = i / box.strides[axis] % layout.extents[axis];
      low[axis] = std::min(low[axis], p);
      high[axis] = std::max(high[axis], p);
    }
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    const bool all = whole && high[axis] > low[axis];
    box.first[axis] = all ? 0 : low[axis];
    box.extents[axis] = all ? layout.extents[axis] : high[axis] - low[axis] + 1;
  }
  return box;
}

/// Returns a claim if element `at[k]` has the value expected of element `from[k]`.
std::optional<Claim> tested(const ValueView& view, const Box& box, const std::vector<size_t>& at,
                            const std::vector<size_t>& from) {
  constexpr double kChoices = 5.0;  // bits for the choice of one in 24 orders, in two directions
  constexpr int64_t kOneIn = 50;    // of these elements, one may be right by chance although it should have moved
  const double most = (1.0 - kNearlyAll) * static_cast<double>(view.wrongs());
  Claim claim{ValueKind::transposed, {}, {}, 0, 0.0};
  std::vector<int64_t> elements;
  int64_t unexplained = 0, contradictions = 0;
  for (int64_t flat = 0; flat < box.count(); ++flat) {
    const int64_t i = box.element(flat, at), j = box.element(flat, from);
    if (i == j) continue;
    const bool holds = view.is_expected(view.got(i), j);
    if (holds && view.is_wrong(i)) elements.push_back(j);
    if (!holds && view.is_wrong(i) && static_cast<double>(++unexplained) > most) return std::nullopt;
    if (!holds && !view.is_wrong(i) && ++contradictions * kOneIn > view.wrongs()) return std::nullopt;
  }
  claim.explained = static_cast<int64_t>(elements.size());
  claim.evidence = view.surprise_of(elements) - kChoices;
  return claim;
}

void add_orders(const ValueView& view, const Layout& layout, const Box& box, std::vector<Claim>& claims) {
  constexpr size_t kMostAxes = 4;  // at most 24 orders
  std::vector<size_t> all(layout.extents.size()), own, order;
  std::iota(all.begin(), all.end(), size_t{0});
  for (const size_t axis : all) {
    if (box.extents[axis] > 1) own.push_back(axis);
  }
  if (own.size() < 2 || own.size() > kMostAxes) return;
  order = own;
  while (std::next_permutation(order.begin(), order.end())) {
    std::vector<std::string> letters, words;
    for (size_t k = 0; k < own.size(); ++k) {
      if (own[k] == order[k]) continue;
      letters.push_back(layout.letters[own[k]]);
      words.push_back(plural(layout.words[own[k]]));
    }
    for (const bool written : {true, false}) {
      // Axes of extent 1 are in no order.
      auto claim = written ? tested(view, box, own, order) : tested(view, box, order, own);
      if (!claim) continue;
      claim->own_axes = layout.own_axes;
      claim->axis = fmt::format("{}", fmt::join(letters, ","));
      const auto place = view.place();
      claim->detail = fmt::format("{} exchanged ({} in the other order){}", fmt::join(words, " and "),
                                  written ? "written" : "read", place == "every element" ? "" : " in " + place);
      claims.push_back(std::move(*claim));
    }
  }
}

}  // namespace

std::vector<Claim> claims_of_transposing(const ValueView& view) {
  std::vector<Claim> claims;
  for (const Layout& layout : layouts_of(view)) {
    if (layout.extents.size() < 2) continue;
    const Box tight = box_of(view, layout, false), whole = box_of(view, layout, true);
    add_orders(view, layout, tight, claims);
    if (whole.extents != tight.extents) add_orders(view, layout, whole, claims);
  }
  return claims;
}

}  // namespace parity::compare

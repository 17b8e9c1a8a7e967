// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/value_slices.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace parity::compare {
namespace {

Layout folded(const Grouping& grouping, size_t leading) {
  Layout layout;
  layout.extents.push_back(1);
  for (size_t axis = 0; axis < grouping.extents.size(); ++axis) {
    if (axis < leading) {
      layout.extents.front() *= grouping.extents[axis];
      layout.words = {leading == 1 ? grouping.words[axis] : axis + 1 == grouping.extents.size() ? "element" : "row"};
      const bool flat = leading > 1 && leading == grouping.extents.size();  // all axes are folded into one
      layout.letters = {flat ? "" : grouping.letters[axis]};
      continue;
    }
    layout.extents.push_back(grouping.extents[axis]);
    layout.words.push_back(grouping.words[axis]);
    layout.letters.push_back(grouping.letters[axis]);
  }
  return layout;
}

}  // namespace

std::vector<Layout> layouts_of(const ValueView& view) {
  std::vector<Layout> layouts;
  std::set<Shape> seen;
  for (const Grouping& grouping : view.groupings()) {
    if (grouping.letters.size() != grouping.extents.size()) continue;
    for (size_t leading = 1; leading <= grouping.extents.size(); ++leading) {
      Layout layout = folded(grouping, leading);
      if (!seen.insert(layout.extents).second) continue;
      layout.own_axes = layouts.empty();
      layouts.push_back(std::move(layout));
    }
  }
  return layouts;
}

Slices::Slices(const ValueView& view, const Layout& layout, size_t axis)
    : view_(view),
      letter_(layout.letters[axis]),
      word_(layout.words[axis]),
      extent_(layout.extents[axis]),
      own_axes_(layout.own_axes) {
  for (size_t later = axis + 1; later < layout.extents.size(); ++later) stride_ *= layout.extents[later];
  wrong_at_.assign(static_cast<size_t>(extent_), 0);
  std::vector<std::vector<bool>> hit;
  for (const int64_t extent : layout.extents) hit.emplace_back(static_cast<size_t>(extent), false);
  for (const int64_t i : view.wrong()) {
    int64_t rest = i;
    for (size_t d = layout.extents.size(); d-- > 0; rest /= layout.extents[d])
      hit[d][static_cast<size_t>(rest % layout.extents[d])] = true;
    ++wrong_at_[static_cast<size_t>(i / stride_ % extent_)];
  }
  for (int64_t p = 0; p < extent_; ++p) {
    if (wrong_at(p) > 0) wrong_.push_back(p);
  }
  offsets_ = {0};
  int64_t stride = view.query().count;
  for (size_t d = 0; d < layout.extents.size(); ++d) {
    stride /= layout.extents[d];
    if (d == axis) continue;
    std::vector<int64_t> next;
    for (const int64_t offset : offsets_) {
      for (size_t p = 0; p < hit[d].size(); ++p) {
        if (hit[d][p]) next.push_back(offset + static_cast<int64_t>(p) * stride);
      }
    }
    offsets_ = std::move(next);
  }
  place_probes();
}

/// Places probes at wrong elements that differ between slices: an element equal in all slices does not help.
void Slices::place_probes() {
  constexpr int64_t kProbes = 12, kSorted = 3;
  std::set<int64_t> offsets;
  const auto& wrong = view_.wrong();
  for (int64_t k = 0; k < kProbes && !wrong.empty(); ++k) {
    const int64_t i = wrong[static_cast<size_t>((2 * k + 1) * view_.wrongs() / (2 * kProbes))];
    offsets.insert(i - i / stride_ % extent_ * stride_);
  }
  for (const int64_t offset : offsets) {
    Probe probe{offset, 0.0, {}};
    if (static_cast<int64_t>(probes_.size()) < kSorted) {
      for (int64_t q = 0; q < extent_; ++q) {
        const int64_t j = element(q, offset);
        if (std::isfinite(view_.expected(j))) probe.sorted.emplace_back(view_.expected(j), q);
        if (std::isfinite(view_.slack(j))) probe.reach = std::max(probe.reach, view_.slack(j));
      }
      std::sort(probe.sorted.begin(), probe.sorted.end());
    }
    probes_.push_back(std::move(probe));
  }
}

bool Slices::holds(int64_t p, int64_t q) const {
  constexpr int64_t kOneIn = 100;  // may deviate otherwise; with fewer elements, all must agree
  int64_t misses = static_cast<int64_t>(offsets_.size()) / kOneIn;
  for (const Probe& probe : probes_) {
    if (!view_.is_expected(view_.got(element(p, probe.offset)), element(q, probe.offset)) && --misses < 0) return false;
  }
  misses = static_cast<int64_t>(offsets_.size()) / kOneIn;
  return std::all_of(offsets_.begin(), offsets_.end(), [&](int64_t offset) {
    return view_.is_expected(view_.got(element(p, offset)), element(q, offset)) || --misses >= 0;
  });
}

bool Slices::is_zero(int64_t p) const {
  return std::all_of(offsets_.begin(), offsets_.end(), [&](int64_t offset) {
    const int64_t i = element(p, offset);
    return !view_.is_wrong(i) || view_.got(i) == 0.0;
  });
}

std::vector<int64_t> Slices::sources(int64_t p) const {
  constexpr size_t kMost = 16;
  std::vector<int64_t> result;
  const Probe* best = nullptr;
  std::pair<int64_t, int64_t> range{0, 0};
  for (const Probe& probe : probes_) {
    if (probe.sorted.empty()) continue;
    const double number = view_.got(element(p, probe.offset));
    if (!std::isfinite(number)) continue;
    const auto by_number = [](const auto& entry, double x) { return entry.first < x; };
    const auto after = [](double x, const auto& entry) { return x < entry.first; };
    const auto& all = probe.sorted;
    const auto first = std::lower_bound(all.begin(), all.end(), number - probe.reach, by_number) - all.begin();
    const auto last = std::upper_bound(all.begin(), all.end(), number + probe.reach, after) - all.begin();
    if (best == nullptr || last - first < range.second - range.first) {
      best = &probe;
      range = {first, last};
    }
  }
  if (best == nullptr) return result;
  for (int64_t k = range.first; k < range.second && result.size() < kMost; ++k) {
    const int64_t q = best->sorted[static_cast<size_t>(k)].second;
    if (holds(p, q)) result.push_back(q);
  }
  std::sort(result.begin(), result.end());
  return result;
}

void Slices::add_sources(int64_t p, int64_t q, std::vector<int64_t>& elements) const {
  for (const int64_t offset : offsets_) {
    if (view_.is_wrong(element(p, offset))) elements.push_back(element(q, offset));
  }
}

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/studies/power.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "compare/values/region.hpp"

namespace parity::compare {
namespace {

/// An axis of the tap. Element i is at position i / stride % extent.
struct Axis {
  std::string word;
  int64_t extent = 1, stride = 1;

  [[nodiscard]] int64_t at(int64_t i) const { return i / stride % extent; }
  /// Returns the element at the next position of the axis. After the last position comes the first.
  [[nodiscard]] int64_t next(int64_t i) const { return at(i) + 1 < extent ? i + stride : i - (extent - 1) * stride; }
};

std::vector<Axis> axes_of(const Record& record, const AxisSizes& sizes) {
  std::vector<Axis> axes;
  constexpr int64_t kFewest = 4;
  const int64_t elements = element_count(record.shape);
  const Grouping finest = groupings_of(record.axes, record.shape, sizes).front();
  int64_t stride = 1;
  for (size_t axis = finest.extents.size(); axis-- > 0;) {
    // Leaves out channels, which no bug exchanges singly, and axes whose slices have too few elements.
    const bool whole = axis_word("H") != finest.words[axis] && elements >= kFewest * finest.extents[axis];
    if (finest.extents[axis] > 1 && whole) axes.push_back({finest.words[axis], finest.extents[axis], stride});
    stride *= finest.extents[axis];
  }
  const int64_t width = record.shape.empty() ? 1 : record.shape.back();
  if (record.shape.size() > 2 && width >= kFewest) axes.push_back({"row", stride / width, width});
  return axes;
}

/// A way in which a slice may be wrong. `change` returns by how much that would move element i.
struct Damage {
  const char* name;
  double (*change)(const Values& v, const Axis& axis, int64_t i);
  bool of_two = false;  // compares two slices
};

/// The third kind also stands for an index that is off by one: each slice then has its neighbour's values.
const std::array kKinds{
    Damage{"zero", [](const Values& v, const Axis&, int64_t i) { return std::abs(v.exact[i]); }},
    Damage{"negated", [](const Values& v, const Axis&, int64_t i) { return 2.0 * std::abs(v.exact[i]); }},
    Damage{"exchanged with the next",
           [](const Values& v, const Axis& axis, int64_t i) { return std::abs(v.exact[axis.next(i)] - v.exact[i]); },
           true}};

/// Returns a few binary32 roundings of the tap's largest element. Smaller values (gelu's far tail) have a random sign.
double negligible(const Values& v, double largest) {
  return 16.0 * std::min(unit_roundoff(v.dtype), unit_roundoff(DType::f32)) * largest;
}

/// Returns the difference below which two slices count as equal, since correct implementations differ by as much.
double indistinct(const Values& v, int64_t i) {
  return 2.0 * v.noise[i] + 4.0 * unit_roundoff(v.dtype) * std::abs(v.exact[i]);
}

struct Noticed {
  int64_t changed = 0;  // number of elements that change by more than `indistinct`
  bool seen = false;    // whether a changed element exceeds its tolerance
};

/// Returns how many changed bits fail a candidate that claims the oracle's bits (compare/judging/elements.cpp).
int64_t telling_bits(const Values& v) { return std::max<int64_t>(8, v.count / kUnexplainedOneIn + 1); }

Weakness weakness_along(const Axis& axis, const Damage& kind, const Values& v, const std::vector<double>& allowed,
                        const ElementRules& rules, double least) {
  std::vector<Noticed> slices(static_cast<size_t>(axis.extent));
  for (int64_t i = 0; i < v.count; ++i) {
    const double change = kind.change(v, axis, i);
    const auto at = static_cast<size_t>(i);
    Noticed& slice = slices[static_cast<size_t>(axis.at(i))];
    if (!(change > (kind.of_two ? std::max(least, indistinct(v, i)) : least))) continue;
    ++slice.changed;
    slice.seen = slice.seen || !(change <= allowed[at]);
  }
  Weakness weakness{axis.word, kind.name};
  for (const Noticed& slice : slices) {
    const bool bits = rules.claims_rounding && slice.changed >= telling_bits(v);
    weakness.slices += slice.changed > 0 ? 1 : 0;
    weakness.unnoticed += slice.changed > 0 && !slice.seen && !bits ? 1 : 0;
  }
  return weakness;
}

bool constant(const Values& v) {
  constexpr int64_t kFew = 16;  // few equal numbers prove nothing: weights of top-1 are always 1
  return v.count >= kFew && (v.row > 1 || v.got[0] == 0.0) &&
         std::all_of(v.got, v.got + v.count, [&](double x) { return x == v.got[0]; });
}

}  // namespace

std::vector<Weakness> weaknesses_of(const Values& v, const Tolerance& tolerance, const ElementRules& rules,
                                    const Record& record) {
  std::vector<double> allowed(static_cast<size_t>(v.count));
  for (int64_t i = 0; i < v.count; ++i) allowed[static_cast<size_t>(i)] = tolerance.at(i);
  const double least = negligible(v, tolerance.largest());
  std::vector<Weakness> result;
  for (const Axis& axis : axes_of(record, rules.sizes)) {
    for (const Damage& kind : kKinds) {
      Weakness weakness = weakness_along(axis, kind, v, allowed, rules, least);
      if (weakness.unnoticed > 0) result.push_back(std::move(weakness));
    }
  }
  return result;
}

void judge_power(const Values& v, const Tolerance& tolerance, const ElementRules& rules, Record& record) {
  constexpr int64_t kOneIn = 20;  // single slices may be small, or equal to their neighbour, by chance
  if (!rules.claims_rounding && constant(v)) {
    record.status = Status::mistrusted;
    record.reason = "the output is constant";
    return;
  }
  for (const Weakness& weakness : weaknesses_of(v, tolerance, rules, record)) {
    const std::string text = fmt::format("{} of {} slices ({}) could be {} without being noticed", weakness.unnoticed,
                                         weakness.slices, weakness.axis, weakness.kind);
    record.unnoticed.push_back(text);
    if (weakness.unnoticed * kOneIn <= weakness.slices || record.status == Status::mistrusted) continue;
    record.status = Status::mistrusted;
    record.reason = text;
  }
}

}  // namespace parity::compare

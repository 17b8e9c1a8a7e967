// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/values/true_names.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/ranges.h>

#include "cases/guarded_run.hpp"
#include "core/text.hpp"
#include "faults/studies/effect.hpp"
#include "faults/values/value_frame.hpp"

namespace parity::faults {
namespace {

bool same_bits(const Tensor& a, const Tensor& b) { return effect_of(a, b).changed == 0; }

/// The same values with the first `count` axes as one: a name may be of rows.
Target with_rows(const Target& target, size_t count) {
  std::vector<std::string> tokens = split_axes(target.axes);
  tokens.resize(target.shape.size());
  const auto end = target.shape.begin() + static_cast<std::ptrdiff_t>(count);
  Target result = target;
  result.shape.assign(end, target.shape.end());
  result.shape.insert(result.shape.begin(), element_count({target.shape.begin(), end}));
  tokens.erase(tokens.begin() + 1, tokens.begin() + static_cast<std::ptrdiff_t>(count));
  tokens.front().clear();
  result.axes = fmt::format("{}", fmt::join(tokens, ","));
  return result;
}

/// Whether `corruption` can give exactly these values: tries all choices, or, of too many, the first and random ones.
bool can_give(const ValueCorruption& corruption, const Target& target, const ValueMaterial& material,
              const Tensor& values, int64_t most) {
  if (!corruption.applies(target, material)) return false;
  const auto gives = [&](Choices& choices) {
    return same_bits(damaged(corruption, target, material, choices), values);
  };
  Choices all = Choices::all();
  for (int64_t tried = 0; tried < most; ++tried) {
    if (gives(all)) return true;
    if (!all.next()) return false;
  }
  for (int64_t tried = 0; tried < most; ++tried) {
    Choices drawn(static_cast<uint64_t>(tried));
    if (gives(drawn)) return true;
  }
  return false;
}

/// Whether every row of `values` is a recorded one, for rows of the last axis or of several last axes.
bool has_recorded_rows(const Target& target, const Tensor& recorded, const Tensor& values) {
  const Frame frame(target);
  const auto rows_of = [](const Tensor& tensor, int64_t length) {
    const auto bytes = static_cast<size_t>(length * size_of(tensor.dtype()));
    const char* data = reinterpret_cast<const char*>(tensor.view().data);
    std::set<std::string_view> rows;
    for (int64_t row = 0; row < tensor.view().count() / length; ++row)
      rows.emplace(data + static_cast<size_t>(row) * bytes, bytes);
    return rows;
  };
  int64_t length = 1;
  for (size_t axis = frame.rank(); axis-- > 1;) {
    length *= frame.extent(axis);
    if (length == 0) return false;
    if (length == 1) continue;  // single elements are no rows
    const auto rows = rows_of(values, length), known = rows_of(recorded, length);
    if (std::includes(known.begin(), known.end(), rows.begin(), rows.end())) return true;
  }
  return false;
}

/// Whether all changed elements hold one number.
bool is_constant(const Tensor& recorded, const Tensor& values) {
  std::set<uint64_t> numbers;
  for (int64_t i = 0; i < values.view().count(); ++i) {
    const uint64_t bits = cases::bits_at(values.view(), i);
    if (bits != cases::bits_at(recorded.view(), i)) numbers.insert(bits);
  }
  return numbers.size() == 1;
}

}  // namespace

bool is_true_of(compare::ValueKind kind, const Target& target, const ValueMaterial& material, const Tensor& values) {
  // Most names are found with little work. All of it takes a minute, but only a wrong name needs all.
  constexpr std::array<int64_t, 3> kMostElements{20'000'000, 200'000'000, 2'000'000'000};
  if (kind == compare::ValueKind::constant && is_constant(material.recorded, values)) return true;
  if (kind == compare::ValueKind::permuted && has_recorded_rows(target, material.recorded, values)) return true;
  std::vector<Target> targets{target};
  targets.front().dtype = DType::f64;  // a name of numbers may be true of ids
  for (size_t count = 1; count <= target.shape.size(); ++count) targets.push_back(with_rows(targets.front(), count));
  const int64_t work = std::max<int64_t>(values.view().count(), 1) * std::ssize(targets);
  for (const int64_t elements : kMostElements) {
    for (const Target& seen : targets) {
      for (const ValueCorruption& corruption : value_corruptions()) {
        if (corruption.kind == kind && can_give(corruption, seen, material, values, elements / work)) return true;
      }
    }
  }
  return false;
}

}  // namespace parity::faults

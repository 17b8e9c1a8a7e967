// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/diff.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compare/captures/flow_order.hpp"
#include "compare/captures/slot_order.hpp"
#include "compare/values/slices.hpp"
#include "core/text.hpp"
#include "golden/files/strict_json.hpp"
#include "golden/sources/blocks.hpp"

namespace parity::compare {
namespace {

using golden::ActivationFile;
using golden::DatasetInfo;

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same_bytes(const TensorView& left, const TensorView& right) {
  return std::memcmp(left.data, right.data, static_cast<size_t>(left.count() * size_of(left.dtype))) == 0;
}

/// Whether all bytes are equal, as in a tap of zeros that takes no space in a file.
bool one_byte(const TensorView& view) {
  const int64_t bytes = view.count() * size_of(view.dtype);
  return bytes > 0 && std::memcmp(view.data, view.data + 1, static_cast<size_t>(bytes - 1)) == 0;
}

/// Accumulates the differences of one tap, block by block.
class Tally {
 public:
  Tally(TapDiff& diff, const Shape& shape, const SlotOrder& order) : diff_(diff), shape_(shape), order_(order) {
    row_ = shape.empty() ? 1 : std::max<int64_t>(shape.back(), 1);
    const int64_t first_axis = shape.empty() ? 1 : std::max<int64_t>(shape.front(), 1);
    inner_ = diff.elements / first_axis;
  }

  /// Adds a block that starts at element `first`. Where slots are paired, it must be whole rows of the first axis.
  void add(const TensorView& left, const TensorView& right, int64_t first) {
    if (!broken_ && !order_.reorders() && same_bytes(left, right)) return add_equal(left);
    for (int64_t i = 0; i < left.count(); ++i) {
      const int64_t flat = first + i;
      const double a = left.value(i);
      const double b = right.value(partner(i, first / std::max<int64_t>(inner_, 1)));
      enlarge(a);
      enlarge(b);
      if (!same(a, b)) {
        broken_ = true;
        differ(a, b, flat);
      }
      if ((flat + 1) % row_ != 0) continue;
      if (broken_) ++diff_.unequal_rows;
      broken_ = false;
    }
  }

 private:
  void enlarge(double value) {
    if (std::isfinite(value)) diff_.largest = std::max(diff_.largest, std::abs(value));
  }

  void add_equal(const TensorView& values) {
    const int64_t count = one_byte(values) ? 1 : values.count();
    for (int64_t i = 0; i < count; ++i) enlarge(values.value(i));
  }

  [[nodiscard]] int64_t partner(int64_t i, int64_t first) const {
    if (!order_.reorders()) return i;
    const int64_t width = inner_ / shape_[1];  // elements per slot
    const int64_t token = i / inner_;
    const int64_t slot = i % inner_ / width;
    return token * inner_ + order_.right_slot(first + token, slot) * width + i % width;
  }

  void differ(double a, double b, int64_t flat) {
    const double difference = std::abs(a - b);
    const bool comparable = std::isfinite(difference);
    if (!comparable) ++diff_.not_finite;
    if (diff_.unequal++ == 0 || (comparable && difference > diff_.largest_difference))
      diff_.where = index_of(flat, shape_);
    if (comparable) diff_.largest_difference = std::max(diff_.largest_difference, difference);
  }

  TapDiff& diff_;
  const Shape& shape_;
  const SlotOrder& order_;
  int64_t row_ = 1;
  int64_t inner_ = 1;
  bool broken_ = false;  // set within the current row, which may span two blocks
};

/// Whether two texts are equal, letter by letter or as JSON: engines may write a configuration with other white space.
bool same_text(const std::string& left, const std::string& right) {
  if (left == right) return true;
  try {
    return golden::parse_json(left) == golden::parse_json(right);
  } catch (const Error&) {  // not JSON, or too deeply nested to compare safely
    return false;
  }
}

std::string mismatch(const DatasetInfo& a, const DatasetInfo& b) {
  if (a.text != b.text)
    return fmt::format("{} against {}", a.text ? "text" : to_string(a.dtype), b.text ? "text" : to_string(b.dtype));
  if (a.shape != b.shape)
    return fmt::format("shape {} against {}", parity::to_string(a.shape), parity::to_string(b.shape));
  if (!a.text && a.dtype != b.dtype) return fmt::format("{} against {}", to_string(a.dtype), to_string(b.dtype));
  return {};
}

void compare_values(const DatasetInfo& a, const ActivationFile& left, const ActivationFile& right, TapDiff& diff) {
  constexpr int64_t kBlockBytes = 16 << 20;
  const SlotOrder order(a, left, right);
  diff.elements = element_count(a.shape);
  diff.rows = diff.elements == 0 ? 0 : diff.elements / (a.shape.empty() ? 1 : a.shape.back());
  Tally tally(diff, a.shape, order);
  if (diff.elements == 0) return;
  if (a.shape.empty()) return tally.add(left.read(a.path).view(), right.read(a.path).view(), 0);
  if (!order.reorders()) {
    for (golden::Blocks block(a.shape, size_of(a.dtype), kBlockBytes); !block.done(); block.advance()) {
      tally.add(left.read_box(a.path, block.start(), block.extents()).view(),
                right.read_box(a.path, block.start(), block.extents()).view(), block.first());
    }
    return;
  }
  const int64_t rows_at_once = std::max<int64_t>(kBlockBytes / std::max<int64_t>(a.bytes() / a.shape.front(), 1), 1);
  for (int64_t first = 0; first < a.shape.front(); first += rows_at_once) {
    const int64_t count = std::min(rows_at_once, a.shape.front() - first);
    tally.add(left.read_rows(a.path, first, count).view(), right.read_rows(a.path, first, count).view(),
              first * (diff.elements / a.shape.front()));
  }
}

TapDiff compare_tap(const DatasetInfo& a, const DatasetInfo& b, const ActivationFile& left,
                    const ActivationFile& right) {
  TapDiff diff;
  diff.tap = a.path;
  diff.component = a.component;
  diff.layer = flow_section(a.path).find("layer ") == std::string::npos ? -1 : flow_place(a.path).layer;
  diff.problem = mismatch(a, b);
  if (!diff.problem.empty()) return diff;
  if (a.text) {
    if (a.shape.empty() ? !same_text(left.read_text(a.path), right.read_text(a.path))
                        : left.read_texts(a.path) != right.read_texts(a.path)) {
      diff.problem = "the texts differ";
    }
    return diff;
  }
  diff.discrete = !is_float(a.dtype);
  compare_values(a, left, right, diff);
  return diff;
}

/// Whether both captures store the dataset as an alias of one tap, which is compared under its own name.
bool repeated(const DatasetInfo& a, const DatasetInfo& b) { return !a.alias_of.empty() && a.alias_of == b.alias_of; }

void sort_by_flow(std::vector<std::string>& paths) {
  std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return flow_place(a) < flow_place(b); });
}

}  // namespace

double TapDiff::equal_share() const {
  return elements == 0 ? 1.0 : static_cast<double>(elements - unequal) / static_cast<double>(elements);
}

bool TapDiff::diverges(double rtol) const {
  if (!problem.empty() || not_finite > 0) return true;
  return discrete ? unequal > 0 : unequal > 0 && relative() > rtol;
}

const TapDiff* CaptureDiff::first_divergence(double rtol) const {
  const auto found = std::find_if(taps.begin(), taps.end(), [&](const TapDiff& tap) { return tap.diverges(rtol); });
  return found == taps.end() ? nullptr : &*found;
}

CaptureDiff diff_captures(const ActivationFile& left, const ActivationFile& right, const DiffSettings& settings) {
  CaptureDiff result;
  std::vector<std::string> both;
  for (const DatasetInfo& a : left.datasets()) {
    if (!glob_match(settings.select, a.path)) continue;
    const DatasetInfo* b = right.find(a.path);
    if (b == nullptr) result.only_left.push_back(a.path);
    if (b != nullptr && !repeated(a, *b)) both.push_back(a.path);
  }
  for (const DatasetInfo& b : right.datasets()) {
    if (glob_match(settings.select, b.path) && !left.contains(b.path)) result.only_right.push_back(b.path);
  }
  for (auto* paths : {&both, &result.only_left, &result.only_right}) sort_by_flow(*paths);
  for (size_t i = 0; i < both.size(); ++i) {
    if (settings.progress) settings.progress(i, both.size(), both[i]);
    result.taps.push_back(compare_tap(left.at(both[i]), right.at(both[i]), left, right));
  }
  return result;
}

}  // namespace parity::compare

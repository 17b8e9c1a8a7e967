// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/values/corruption.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "core/text.hpp"

namespace parity::faults {
namespace {

/// A tap as a matrix whose rows are along its last axis.
struct Rows {
  int64_t count;
  int64_t width;
};

Rows rows_of(const Shape& shape) {
  const int64_t width = shape.empty() ? 1 : shape.back();
  return {width == 0 ? 0 : element_count(shape) / width, width};
}

// These functions need contiguous tensors.
std::byte* address(const Tensor& tensor, int64_t i) { return tensor.view().data + i * size_of(tensor.dtype()); }
double get(const Tensor& tensor, int64_t i) { return load_element(tensor.dtype(), address(tensor, i)); }
void set(Tensor& tensor, int64_t i, double x) { store_element(tensor.dtype(), address(tensor, i), x); }

void swap_elements(Tensor& tensor, int64_t i, int64_t j) {
  const double x = get(tensor, i);
  set(tensor, i, get(tensor, j));
  set(tensor, j, x);
}

/// The heads of a tap: index of the axis, number of heads, and width of one head along the axis.
struct Heads {
  size_t axis;
  int64_t count;
  int64_t width;
};

std::optional<Heads> heads_of(const Target& target) {
  const auto tokens = split_axes(target.axes);
  for (size_t axis = 0; axis < tokens.size(); ++axis) {
    const char letter = tokens[axis].front();
    const auto size = target.sizes.find(letter);
    if (std::string_view("AGX").find(letter) == std::string_view::npos || size == target.sizes.end()) continue;
    return Heads{axis, size->second, target.shape[axis] / size->second};
  }
  return std::nullopt;
}

bool continuous(const Target& target) { return is_float(target.dtype) && element_count(target.shape) > 0; }
bool with_heads(const Target& target) { return continuous(target) && heads_of(target).has_value(); }
bool with_rows(const Target& target) { return continuous(target) && rows_of(target.shape).count > 1; }
bool with_tiles(const Target& target) { return with_rows(target) && rows_of(target.shape).width > 1; }
bool discrete(const Target& target) { return is_discrete(target.judge); }
bool block_lists(const Target& target) { return target.judge == Judge::block_list; }
bool with_others(const Target& target) { return !target.others.empty(); }
bool routing_weights(const Target& target) {
  return target.component.ends_with("router") && target.field == "weights" && rows_of(target.shape).width > 1;
}

void negate_row(const Target& target, const Material&, Draws& draws, Tensor& values) {
  const Rows rows = rows_of(target.shape);
  const int64_t first = draws.below(rows.count) * rows.width;
  for (int64_t i = first; i < first + rows.width; ++i) set(values, i, -get(values, i));
}

void double_head(const Target& target, const Material&, Draws& draws, Tensor& values) {
  const Heads heads = *heads_of(target);
  const int64_t chosen = draws.below(heads.count);
  int64_t stride = 1;
  for (size_t axis = heads.axis + 1; axis < target.shape.size(); ++axis) stride *= target.shape[axis];
  for (int64_t i = 0; i < values.view().count(); ++i) {
    if (i / stride % target.shape[heads.axis] / heads.width == chosen) set(values, i, 2.0 * get(values, i));
  }
}

void swap_rows(const Target& target, const Material&, Draws& draws, Tensor& values) {
  const Rows rows = rows_of(target.shape);
  const int64_t a = draws.below(rows.count);
  const int64_t b = (a + 1 + draws.below(rows.count - 1)) % rows.count;
  for (int64_t i = 0; i < rows.width; ++i) swap_elements(values, a * rows.width + i, b * rows.width + i);
}

/// Returns the indices of ids. An id of -1 is padding.
std::vector<int64_t> ids_in(const Tensor& values, int64_t first, int64_t count) {
  std::vector<int64_t> result;
  for (int64_t i = first; i < first + count; ++i) {
    if (values.i64()[i] >= 0) result.push_back(i);
  }
  return result;
}

void shift_id(const Target&, const Material&, Draws& draws, Tensor& values) {
  const auto ids = ids_in(values, 0, values.view().count());
  if (ids.empty()) return;
  const int64_t at = ids[static_cast<size_t>(draws.below(static_cast<int64_t>(ids.size())))];
  values.i64()[at] += draws.below(2) == 0 ? 1 : -1;
}

void permute_weights(const Target& target, const Material& material, Draws& draws, Tensor& values) {
  const Rows rows = rows_of(target.shape);
  const int64_t first = draws.below(rows.count) * rows.width;
  const int64_t turn = 1 + draws.below(rows.width - 1);
  for (int64_t t = 0; t < rows.width; ++t) {
    set(values, first + t, get(material.recorded, first + (t + turn) % rows.width));
  }
}

void put_nan(const Target&, const Material&, Draws& draws, Tensor& values) {
  set(values, draws.below(values.view().count()), std::numeric_limits<double>::quiet_NaN());
}

void transpose_tile(const Target& target, const Material&, Draws& draws, Tensor& values) {
  constexpr int64_t kLargest = 8;
  const Rows rows = rows_of(target.shape);
  const int64_t most = std::min({kLargest, rows.count, rows.width});
  const int64_t side = 2 + draws.below(most - 1);
  const int64_t origin = draws.below(rows.count - side + 1) * rows.width + draws.below(rows.width - side + 1);
  for (int64_t i = 0; i < side; ++i) {
    for (int64_t j = 0; j < i; ++j) swap_elements(values, origin + i * rows.width + j, origin + j * rows.width + i);
  }
}

/// Offsets one row only, since an offset everywhere is easier to notice.
void offset_row(const Target& target, const Material& material, Draws& draws, Tensor& values) {
  constexpr double kBounds = 4.0;
  const Rows rows = rows_of(target.shape);
  const int64_t first = draws.below(rows.count) * rows.width;
  const double factor = draws.below(2) == 0 ? kBounds : -kBounds;
  for (int64_t i = first; i < first + rows.width; ++i) {
    const double offset = factor * material.tolerance.f64()[i];
    if (std::isfinite(offset)) set(values, i, get(values, i) + offset);
  }
}

void drop_last_block(const Target& target, const Material&, Draws& draws, Tensor& values) {
  const Rows rows = rows_of(target.shape);
  const auto ids = ids_in(values, draws.below(rows.count) * rows.width, rows.width);
  if (!ids.empty()) values.i64()[ids.back()] = -1;
}

void take_other(const Target&, const Material& material, Draws&, Tensor& values) {
  std::memcpy(values.view().data, material.other.view().data, static_cast<size_t>(values.bytes()));
}

}  // namespace

const std::vector<CorruptionKind>& corruption_kinds() {
  static const std::vector<CorruptionKind> kinds{
      {"row-negated", "one row with its sign flipped", Needs::recorded, continuous, negate_row},
      {"head-doubled", "one head times 2", Needs::recorded, with_heads, double_head},
      {"rows-swapped", "two rows exchanged", Needs::recorded, with_rows, swap_rows},
      {"id-off-by-one", "one expert or block id off by one", Needs::recorded, discrete, shift_id},
      {"weights-permuted", "one token's routing weights rotated, its expert ids not", Needs::recorded, routing_weights,
       permute_weights},
      {"one-nan", "one NaN", Needs::recorded, continuous, put_nan},
      {"tile-transposed", "a tile of 2x2 to 8x8 transposed", Needs::recorded, with_tiles, transpose_tile},
      {"offset-of-four-bounds", "one row shifted by 4 times its tolerance", Needs::tolerance, continuous, offset_row},
      {"last-block-dropped", "the last block of one list missing", Needs::recorded, block_lists, drop_last_block},
      {"stale-copy", "another layer's tap instead of this one's", Needs::other, with_others, take_other},
  };
  return kinds;
}

const CorruptionKind& find_corruption_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const CorruptionKind& kind : corruption_kinds()) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  throw Error(ErrorCode::usage, fmt::format("kind of corruption '{}' is not known{}", name, did_you_mean(name, names)));
}

Tensor corrupted(const CorruptionKind& kind, const Target& target, const Material& material, Draws& draws) {
  Tensor values = convert(material.recorded.view(), material.recorded.dtype());
  kind.damage(target, material, draws, values);
  return values;
}

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/value_corruption.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "faults/value_frame.hpp"

namespace parity::faults {
namespace {

using compare::ValueKind;
using Values = std::vector<double>;

constexpr int64_t kFewest = 4;  // elements: one number is twice another, and one more than it, and the like

bool numbers(const Target& target, const ValueMaterial&) {
  return is_float(target.dtype) && element_count(target.shape) >= kFewest;
}
bool with_axis(const Target& target, int64_t least) {
  return element_count(target.shape) >= kFewest && target.dtype != DType::boolean && !Frame(target).axes(least).empty();
}
template <int64_t Least>
bool numbers_along(const Target& target, const ValueMaterial&) {
  return is_float(target.dtype) && with_axis(target, Least);
}
template <int64_t Least>
bool anything_along(const Target& target, const ValueMaterial&) {
  return with_axis(target, Least);
}
bool two_axes(const Target& target, const ValueMaterial&) {
  return is_float(target.dtype) && Frame(target).axes(2).size() > 1;
}
bool with_others(const Target&, const ValueMaterial& material) { return !material.others.empty(); }
bool with_inputs(const Target& target, const ValueMaterial& material) {
  return is_float(target.dtype) && !material.inputs.empty();
}
/// So few are renamed by chance in several ways.
bool ids(const Target& target, const ValueMaterial&) {
  constexpr int64_t kEnough = 32;
  return is_discrete(target.judge) && element_count(target.shape) >= kEnough;
}

size_t axis_of(const Frame& frame, int64_t least, Choices& choices) {
  const auto axes = frame.axes(least);
  return axes[static_cast<size_t>(choices.below(static_cast<int64_t>(axes.size())))];
}

double largest(const Values& values) {
  double result = 0.0;
  for (const double x : values) result = std::isfinite(x) ? std::max(result, std::abs(x)) : result;
  return result;
}

template <class Change>
void change(const Frame& frame, const Part& part, Values& values, const Change& changed) {
  for (int64_t i = 0; i < frame.count(); ++i) {
    if (part.holds(frame, i)) values[static_cast<size_t>(i)] = changed(values[static_cast<size_t>(i)]);
  }
}

/// Position p of an axis gets what stands at source(p); beyond the ends: zeros.
template <class Source>
void move(const Frame& frame, const Part& part, size_t axis, Values& values, const Source& source) {
  const Values before = values;
  for (int64_t i = 0; i < frame.count(); ++i) {
    if (!part.holds(frame, i)) continue;
    const int64_t from = source(frame.position(i, axis));
    const bool inside = from >= 0 && from < frame.extent(axis);
    values[static_cast<size_t>(i)] = inside ? before[static_cast<size_t>(frame.at(i, axis, from))] : 0.0;
  }
}

void zero_tap(const Target&, const ValueMaterial&, Choices&, Values& values) {
  std::fill(values.begin(), values.end(), 0.0);
}

void zero_slice(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  change(frame, slice(frame, choices), values, [](double) { return 0.0; });
}

void constant_slice(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const Part part = choices.below(4) == 0 ? whole(frame) : slice(frame, choices);
  const std::vector<double> numbers{1.0, -1.0, 0.5, 0.125, 3.0};
  const double number = numbers[static_cast<size_t>(choices.below(static_cast<int64_t>(numbers.size())))];
  change(frame, part, values, [&](double) { return number; });
}

void negate_tap(const Target&, const ValueMaterial&, Choices&, Values& values) {
  for (double& x : values) x = -x;
}

void negate_slice(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  change(frame, slice(frame, choices), values, [](double x) { return -x; });
}

double factor_of(const Frame& frame, Choices& choices) {
  const auto n = static_cast<double>(frame.rank() == 0 ? 2 : frame.extent(frame.rank() - 1));
  const std::vector<double> factors{2.0, 0.5,     4.0,  0.0625, std::sqrt(n), 1.0 / std::sqrt(n),
                                    n,   1.0 / n, 1.37, -3.0,   0.7};
  return factors[static_cast<size_t>(choices.below(static_cast<int64_t>(factors.size())))];
}

void scale_tap(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const double factor = factor_of(Frame(target), choices);
  for (double& x : values) x *= factor;
}

void scale_slice(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const double factor = factor_of(frame, choices);
  change(frame, slice(frame, choices), values, [&](double x) { return factor * x; });
}

void offset_slice(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const std::vector<double> shares{1.0, -1.0, 0.25, -0.5, 2.0};
  const double offset =
      largest(values) * shares[static_cast<size_t>(choices.below(static_cast<int64_t>(shares.size())))];
  const Part part = choices.below(3) == 0 ? whole(frame) : slice(frame, choices);
  change(frame, part, values, [&](double x) { return x + offset; });
}

/// Late or early by one, or by as much as a third of the axis.
int64_t distance_of(const Frame& frame, size_t axis, Choices& choices) {
  const int64_t most = std::max<int64_t>(frame.extent(axis) / 3, 1);
  const int64_t far = choices.below(2) == 0 ? 1 : 1 + choices.below(most);
  return choices.below(2) == 0 ? far : -far;
}

void shift_kept(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 4, choices);
  const int64_t far = distance_of(frame, axis, choices), extent = frame.extent(axis);
  move(frame, whole_or_slice(frame, axis, choices), axis, values,
       [&](int64_t p) { return p - far < 0 || p - far >= extent ? p : p - far; });
}

void shift_zeros(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 4, choices);
  const int64_t far = distance_of(frame, axis, choices);
  move(frame, whole_or_slice(frame, axis, choices), axis, values, [&](int64_t p) { return p - far; });
}

/// The whole axis, or a stretch of it.
void rotate(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 3, choices);
  const int64_t extent = frame.extent(axis);
  const int64_t length = choices.below(2) == 0 ? extent : 3 + choices.below(extent - 2);
  const int64_t first = choices.below(extent - length + 1), far = 1 + choices.below(length - 1);
  move(frame, whole_or_slice(frame, axis, choices), axis, values,
       [&](int64_t p) { return p < first || p >= first + length ? p : first + (p - first + far) % length; });
}

void reverse(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 3, choices);
  const int64_t extent = frame.extent(axis);
  move(frame, whole_or_slice(frame, axis, choices), axis, values, [&](int64_t p) { return extent - 1 - p; });
}

void permute(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 4, choices);
  std::vector<int64_t> order(static_cast<size_t>(frame.extent(axis)));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[static_cast<size_t>(choices.below(static_cast<int64_t>(i + 1)))]);
  move(frame, whole_or_slice(frame, axis, choices), axis, values,
       [&](int64_t p) { return order[static_cast<size_t>(p)]; });
}

void repeat_slice(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 3, choices);
  const int64_t extent = frame.extent(axis), at = choices.below(extent), from = choices.below(extent);
  move(frame, whole_or_slice(frame, axis, choices), axis, values, [&](int64_t p) { return p == at ? from : p; });
}

/// Two positions, or two stretches of one length.
void exchange_two(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 2, choices);
  const int64_t extent = frame.extent(axis), width = choices.below(2) == 0 ? 1 : 1 + choices.below(extent / 2);
  const int64_t a = choices.below(extent - width + 1), b = choices.below(extent - width + 1);
  if (std::abs(a - b) < width) return;
  move(frame, whole_or_slice(frame, axis, choices), axis, values, [&](int64_t p) {
    return p >= a && p < a + width ? p - a + b : p >= b && p < b + width ? p - b + a : p;
  });
}

void exchange_parts(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 4, choices);
  const int64_t extent = frame.extent(axis), parts = 2 + choices.below(3), width = extent / parts;
  const int64_t a = choices.below(parts), b = choices.below(parts), turn = choices.below(3);
  if (extent % parts != 0 || width < 2) return;
  if (parts == 3 && turn > 0) {  // each third in the place of the next
    const Part part = whole_or_slice(frame, axis, choices);
    move(frame, part, axis, values, [&](int64_t p) { return (p + turn * width) % extent; });
    return;
  }
  move(frame, whole_or_slice(frame, axis, choices), axis, values, [&](int64_t p) {
    return p / width == a ? p + (b - a) * width : p / width == b ? p + (a - b) * width : p;
  });
}

void exchange_neighbours(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 4, choices);
  const int64_t extent = frame.extent(axis), half = int64_t{1} << choices.below(3), block = 2 * half;
  move(frame, whole_or_slice(frame, axis, choices), axis, values, [&](int64_t p) {
    const int64_t other = p / block * block + (p % block + half) % block;
    return p / block * block + block <= extent ? other : p;
  });
}

/// All axes in memory order, two of them the other way round; written so, or read so.
void transpose(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t a = axis_of(frame, 2, choices), b = axis_of(frame, 2, choices);
  const bool written = choices.below(2) == 0;
  std::vector<size_t> order(frame.rank());
  std::iota(order.begin(), order.end(), size_t{0});
  std::swap(order[a], order[b]);
  const Values before = values;
  for (int64_t i = 0; i < frame.count(); ++i) {
    int64_t flat = 0;
    for (const size_t axis : order) flat = flat * frame.extent(axis) + frame.position(i, axis);
    const auto own = static_cast<size_t>(i), other = static_cast<size_t>(flat);
    values[written ? other : own] = before[written ? own : other];
  }
}

/// A square of two axes, at one position of all others.
void transpose_tile(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t a = axis_of(frame, 2, choices), b = axis_of(frame, 2, choices);
  const int64_t side = 2 + choices.below(std::min<int64_t>(7, std::min(frame.extent(a), frame.extent(b)) - 1));
  const int64_t row = choices.below(frame.extent(a) - side + 1), column = choices.below(frame.extent(b) - side + 1);
  Part part = whole(frame);
  for (size_t axis = 0; axis < frame.rank(); ++axis)
    part.first[axis] = part.last[axis] = choices.below(frame.extent(axis));
  part.first[a] = row;
  part.last[a] = row + side - 1;
  part.first[b] = column;
  part.last[b] = column + side - 1;
  if (a == b) return;
  const Values before = values;
  for (int64_t i = 0; i < frame.count(); ++i) {
    if (!part.holds(frame, i)) continue;
    const int64_t down = frame.position(i, a) - row, along = frame.position(i, b) - column;
    values[static_cast<size_t>(i)] =
        before[static_cast<size_t>(frame.at(frame.at(i, a, row + along), b, column + down))];
  }
}

void interleave(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 6, choices);
  const int64_t extent = frame.extent(axis), half = extent / 2;
  const bool joined = choices.below(2) == 0;
  if (extent % 2 != 0) return;
  move(frame, whole_or_slice(frame, axis, choices), axis, values,
       [&](int64_t p) { return joined ? p % 2 * half + p / 2 : p % half * 2 + p / half; });
}

/// Types with fewer significant bits than the tap's.
DType coarser(const Target& target, Choices& choices) {
  std::vector<DType> types;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::e4m3fn, DType::e5m2}) {
    if (format_of(type).significand_bits < format_of(target.dtype).significand_bits) types.push_back(type);
  }
  return types[static_cast<size_t>(choices.below(static_cast<int64_t>(types.size())))];
}

Part some_part(const Frame& frame, Choices& choices) {
  return choices.below(2) == 0 ? whole(frame) : slice(frame, choices);
}

void round_more(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const DType type = coarser(target, choices);
  change(frame, some_part(frame, choices), values, [&](double x) { return round_to(type, x); });
}

void truncate(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const DType type = coarser(target, choices);
  change(frame, some_part(frame, choices), values, [&](double x) {
    const double nearest = round_to(type, x);
    if (!std::isfinite(nearest) || std::abs(nearest) <= std::abs(x)) return nearest;
    // One unit nearer to 0: half a unit of the smaller binade is enough to fall to the number below.
    const double unit =
        std::max(std::abs(nearest) * 2.0 * unit_roundoff(type), smallest_normal(type) * 2.0 * unit_roundoff(type));
    const double below = round_to(type, nearest - std::copysign(0.5 * unit, nearest));
    return below == nearest ? round_to(type, nearest - std::copysign(unit, nearest)) : below;
  });
}

/// The whole of another tensor, or a slice of it.
void take(const Target& target, const std::vector<Tensor>& from, Choices& choices, Values& values) {
  const Frame frame(target);
  const Tensor& other = from[static_cast<size_t>(choices.below(static_cast<int64_t>(from.size())))];
  const Part part = some_part(frame, choices);
  for (int64_t i = 0; i < frame.count(); ++i) {
    if (part.holds(frame, i)) values[static_cast<size_t>(i)] = other.view().value(i);
  }
}

void take_other(const Target& target, const ValueMaterial& material, Choices& choices, Values& values) {
  take(target, material.others, choices, values);
}

void take_input(const Target& target, const ValueMaterial& material, Choices& choices, Values& values) {
  take(target, material.inputs, choices, values);
}

void leave_nan(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  change(frame, some_part(frame, choices), values, [](double) { return std::numeric_limits<double>::quiet_NaN(); });
}

/// As an allocator fills memory.
void leave_pattern(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const std::vector<int> bytes{0xCD, 0xAA, 0x5A, 0xFE};
  const auto byte =
      static_cast<std::byte>(bytes[static_cast<size_t>(choices.below(static_cast<int64_t>(bytes.size())))]);
  std::vector<std::byte> element(static_cast<size_t>(size_of(target.dtype)), byte);
  const double number = load_element(target.dtype, element.data());
  change(frame, some_part(frame, choices), values, [&](double) { return number; });
}

/// Ids under other names; -1 is none.
void rename(Values& values, const std::function<double(double)>& name) {
  for (double& id : values) id = id < 0.0 ? id : name(id);
}

void ids_up(const Target&, const ValueMaterial&, Choices& choices, Values& values) {
  const double offset = choices.below(2) == 0 ? 1.0 : -1.0;
  rename(values, [&](double id) { return id + offset; });
}

void ids_exchanged(const Target&, const ValueMaterial&, Choices& choices, Values& values) {
  const auto most = static_cast<int64_t>(largest(values));
  const auto a = static_cast<double>(choices.below(most + 1)), b = static_cast<double>(choices.below(most + 1));
  rename(values, [&](double id) { return id == a ? b : id == b ? a : id; });
}

}  // namespace

int64_t Choices::below(int64_t limit) {
  if (draws_) return draws_->below(limit);
  PARITY_CHECK(limit > 0, internal, "nothing to choose from");
  if (at_ == digits_.size()) digits_.emplace_back(0, limit);
  return digits_[at_++].first;
}

bool Choices::next() {
  digits_.resize(at_);
  at_ = 0;
  while (!digits_.empty()) {
    if (++digits_.back().first < digits_.back().second) return true;
    digits_.pop_back();
  }
  return false;
}

const std::vector<ValueCorruption>& value_corruptions() {
  static const std::vector<ValueCorruption> kinds{
      {"zero-tap", "zeros everywhere", ValueKind::zero, numbers, zero_tap},
      {"zero-slice", "a slice of zeros", ValueKind::zero, numbers_along<2>, zero_slice},
      {"constant", "one number in a slice or everywhere", ValueKind::constant, numbers_along<2>, constant_slice},
      {"negated-tap", "every sign flipped", ValueKind::negated, numbers, negate_tap},
      {"negated-slice", "the signs of a slice flipped", ValueKind::negated, numbers_along<2>, negate_slice},
      {"scaled-tap", "times a number", ValueKind::scaled, numbers, scale_tap},
      {"scaled-slice", "a slice times a number", ValueKind::scaled, numbers_along<2>, scale_slice},
      {"offset", "plus a number, a slice or everywhere", ValueKind::offset, numbers_along<2>, offset_slice},
      {"shifted-kept", "late or early along an axis, the end as it was", ValueKind::shifted, anything_along<4>,
       shift_kept},
      {"shifted-zeros", "late or early, zeros at the end", ValueKind::shifted, numbers_along<4>, shift_zeros},
      {"rotated", "late around the end", ValueKind::shifted, anything_along<3>, rotate},
      {"reversed", "an axis the other way round", ValueKind::reversed, anything_along<3>, reverse},
      {"permuted", "slices in a drawn order", ValueKind::permuted, anything_along<4>, permute},
      {"repeated", "a slice in the place of another", ValueKind::permuted, numbers_along<3>, repeat_slice},
      {"exchanged-two", "two slices, or stretches, in each other's place", ValueKind::exchanged, anything_along<2>,
       exchange_two},
      {"exchanged-parts", "halves, thirds or quarters exchanged", ValueKind::exchanged, anything_along<4>,
       exchange_parts},
      {"exchanged-neighbours", "neighbours exchanged, or the halves of every 4 or 8", ValueKind::exchanged,
       numbers_along<4>, exchange_neighbours},
      {"transposed", "two axes the other way round in memory", ValueKind::transposed, two_axes, transpose},
      {"transposed-tile", "a tile of two axes transposed", ValueKind::transposed, two_axes, transpose_tile},
      {"interleaved", "halves interleaved, or taken apart", ValueKind::interleaved, numbers_along<6>, interleave},
      {"rounded", "rounded to a narrower type", ValueKind::rounded, numbers, round_more},
      {"truncated", "truncated to a narrower type", ValueKind::truncated, numbers, truncate},
      {"stale", "another layer's values, all or a slice", ValueKind::stale, with_others, take_other},
      {"input", "an input's values, all or a slice", ValueKind::input, with_inputs, take_input},
      {"unwritten-nan", "NaN, all or a slice", ValueKind::unwritten, numbers, leave_nan},
      {"unwritten-pattern", "an allocator's pattern, all or a slice", ValueKind::unwritten, numbers, leave_pattern},
      {"ids-offset", "ids one too high or too low", ValueKind::offset, ids, ids_up},
      {"ids-exchanged", "two ids in each other's place", ValueKind::exchanged, ids, ids_exchanged},
  };
  return kinds;
}

Tensor damaged(const ValueCorruption& corruption, const Target& target, const ValueMaterial& material,
               Choices& choices) {
  Tensor result = convert(material.recorded.view(), material.recorded.dtype());
  Values values;
  for (int64_t i = 0; i < result.view().count(); ++i) values.push_back(result.view().value(i));
  corruption.damage(target, material, choices, values);
  for (size_t i = 0; i < values.size(); ++i)
    store_element(result.dtype(), result.view().data + static_cast<int64_t>(i) * size_of(result.dtype()), values[i]);
  return result;
}

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <numeric>

#include "faults/values/value_damage.hpp"

namespace parity::faults::value_damage {
namespace {

/// Sets position p of an axis to the values at source(p), or to zeros if source(p) is out of range.
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

/// Draws a distance: 1, or up to a third of the axis, in either direction.
int64_t distance_of(const Frame& frame, size_t axis, Choices& choices) {
  const int64_t most = std::max<int64_t>(frame.extent(axis) / 3, 1);
  const int64_t far = choices.below(2) == 0 ? 1 : 1 + choices.below(most);
  return choices.below(2) == 0 ? far : -far;
}

struct Stretch {
  int64_t first = 0, length = 0;

  [[nodiscard]] bool holds(int64_t p) const { return p >= first && p < first + length; }
};

/// Draws the whole axis, or a stretch of at least three positions.
Stretch stretch_of(const Frame& frame, size_t axis, Choices& choices) {
  const int64_t extent = frame.extent(axis);
  const int64_t length = choices.below(2) == 0 ? extent : 3 + choices.below(extent - 2);
  return {choices.below(extent - length + 1), length};
}

}  // namespace

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

/// Rotates the whole axis, or a stretch of it.
void rotate(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 3, choices);
  const Stretch part = stretch_of(frame, axis, choices);
  const int64_t far = 1 + choices.below(part.length - 1);
  move(frame, whole_or_slice(frame, axis, choices), axis, values,
       [&](int64_t p) { return part.holds(p) ? part.first + (p - part.first + far) % part.length : p; });
}

/// Reverses the whole axis, or a stretch of it.
void reverse(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const size_t axis = axis_of(frame, 3, choices);
  const Stretch part = stretch_of(frame, axis, choices);
  move(frame, whole_or_slice(frame, axis, choices), axis, values,
       [&](int64_t p) { return part.holds(p) ? 2 * part.first + part.length - 1 - p : p; });
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

/// Exchanges two positions, or two stretches of equal length.
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
  if (parts == 3 && turn > 0) {  // replaces each third by the next
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

/// Transposes two axes in memory order, as if written or read the other way round.
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

/// Transposes a square tile of two axes, at one position of all others.
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

}  // namespace parity::faults::value_damage

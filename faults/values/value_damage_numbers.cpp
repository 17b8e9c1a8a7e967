// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "faults/values/value_damage.hpp"

namespace parity::faults::value_damage {
namespace {

double factor_of(const Frame& frame, Choices& choices) {
  const auto n = static_cast<double>(frame.rank() == 0 ? 2 : frame.extent(frame.rank() - 1));
  const std::vector<double> factors{2.0, 0.5,     4.0,  0.0625, std::sqrt(n), 1.0 / std::sqrt(n),
                                    n,   1.0 / n, 1.37, -3.0,   0.7};
  return factors[static_cast<size_t>(choices.below(static_cast<int64_t>(factors.size())))];
}

/// Draws a type with fewer significant bits than the tap's.
DType coarser(const Target& target, Choices& choices) {
  std::vector<DType> types;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::e4m3fn, DType::e5m2}) {
    if (format_of(type).significand_bits < format_of(target.dtype).significand_bits) types.push_back(type);
  }
  return types[static_cast<size_t>(choices.below(static_cast<int64_t>(types.size())))];
}

}  // namespace

size_t axis_of(const Frame& frame, int64_t least, Choices& choices) {
  const auto axes = frame.axes(least);
  return axes[static_cast<size_t>(choices.below(static_cast<int64_t>(axes.size())))];
}

double largest(const Values& values) {
  double result = 0.0;
  for (const double x : values) result = std::isfinite(x) ? std::max(result, std::abs(x)) : result;
  return result;
}

Part some_part(const Frame& frame, Choices& choices) {
  return choices.below(2) == 0 ? whole(frame) : slice(frame, choices);
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

void scale_tap(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const double factor = factor_of(Frame(target), choices);
  for (double& x : values) x *= factor;
}

void scale_slice(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const double factor = factor_of(frame, choices);
  change(frame, slice(frame, choices), values, [&](double x) { return factor * x; });
}

void scale_rows(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const std::vector<double> factors{0.8, 1.1, 0.93, 1.25, 1.04, 0.7, 1.3};
  const auto count = static_cast<int64_t>(factors.size());
  const int64_t first = choices.below(count), length = frame.extent(frame.rank() - 1);
  for (int64_t i = 0; i < frame.count(); ++i)
    values[static_cast<size_t>(i)] *= factors[static_cast<size_t>((first + i / length) % count)];
}

void offset_slice(const Target& target, const ValueMaterial&, Choices& choices, Values& values) {
  const Frame frame(target);
  const std::vector<double> shares{1.0, -1.0, 0.25, -0.5, 2.0};
  const double offset =
      largest(values) * shares[static_cast<size_t>(choices.below(static_cast<int64_t>(shares.size())))];
  const Part part = choices.below(3) == 0 ? whole(frame) : slice(frame, choices);
  change(frame, part, values, [&](double x) { return x + offset; });
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
    // Subtracts one unit toward 0. At a power of two, half a unit already reaches the next number below.
    const double unit =
        std::max(std::abs(nearest) * 2.0 * unit_roundoff(type), smallest_normal(type) * 2.0 * unit_roundoff(type));
    const double below = round_to(type, nearest - std::copysign(0.5 * unit, nearest));
    return below == nearest ? round_to(type, nearest - std::copysign(unit, nearest)) : below;
  });
}

}  // namespace parity::faults::value_damage

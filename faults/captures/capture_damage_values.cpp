// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>

#include "faults/captures/capture_damage_parts.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::faults {
namespace {

/// Whether two taps differ by a tenth of their size in the mean. Less could be within a tolerance, so no damage.
bool far_apart(const Tensor& a, const Tensor& b) {
  constexpr double kApart = 0.1;
  double errors = 0.0, squares = 0.0;
  for (int64_t i = 0; i < a.view().count(); ++i) {
    const double x = a.view().value(i), y = b.view().value(i);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    errors += (x - y) * (x - y);
    squares += x * x;
  }
  return errors > kApart * kApart * squares;
}

/// Copies the values of another dataset of equal shape and type with clearly different values.
template <class Wanted>
CapturePlace take_from(CaptureContents& contents, Draws& draws, const Wanted& related) {
  const CapturePlace path = drawn(outputs_where(contents, is_number), draws);
  if (!path) return path;
  CapturedTap& tap = contents.datasets.at(*path);
  const CapturePlace other =
      drawn(outputs_where(contents,
                          [&](const std::string& name, const CapturedTap& that) {
                            return name != *path && related(name, *path) && !that.values.empty() &&
                                   that.values.shape() == tap.values.shape() &&
                                   that.values.dtype() == tap.values.dtype() && far_apart(tap.values, that.values);
                          }),
            draws);
  if (!other) return std::nullopt;
  tap.values = contents.datasets.at(*other).values;
  return *path + " of " + *other;
}

bool of_one_family(const std::string& a, const std::string& b) {
  return golden::tap_of_every_place(a) == golden::tap_of_every_place(b);
}

}  // namespace

/// Marks a tap as computed although nothing was written to it.
CapturePlace mark_unwritten(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(outputs_where(contents, is_number), draws);
  if (!path) return path;
  leave_unfilled(contents.datasets.at(*path));
  contents.datasets.at(*path).attributes[golden::kComputed] = "yes";
  return path;
}

CapturePlace take_stale(CaptureContents& contents, Draws& draws) { return take_from(contents, draws, of_one_family); }
CapturePlace mix_up(CaptureContents& contents, Draws& draws) {
  return take_from(contents, draws, [](const std::string& a, const std::string& b) { return !of_one_family(a, b); });
}

CapturePlace leave_rows(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(outputs_where(contents,
                                                [](const std::string& name, const CapturedTap& tap) {
                                                  return has_values(name, tap) && tap.values.shape().size() > 1 &&
                                                         size_of(tap.values.dtype()) > 1;
                                                }),
                                  draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  values = convert(values.view(), values.dtype());
  const int64_t width = values.shape().back(), rows = values.view().count() / width;
  const int64_t row = draws.below(rows);
  const double unwritten = is_float(values.dtype()) ? std::numeric_limits<double>::quiet_NaN() : -0x1p62;
  for (int64_t i = row * width; i < (row + 1) * width; ++i)
    store_element(values.dtype(), values.view().data + i * size_of(values.dtype()), unwritten);
  return fmt::format("{}, row {}", *path, row);
}

CapturePlace leave_zeros(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(outputs_where(contents, is_number), draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  Tensor zeros(values.dtype(), values.shape(), values.view().axes);
  if (!far_apart(values, zeros)) return std::nullopt;
  values = zeros;
  return path;
}

CapturePlace cut_last_row(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(outputs_where(contents,
                                                [](const std::string& name, const CapturedTap& tap) {
                                                  return has_values(name, tap) && !tap.values.shape().empty() &&
                                                         tap.values.shape().back() > 1;
                                                }),
                                  draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  Shape shape = values.shape();
  --shape.back();
  values = Tensor(values.dtype(), shape, values.view().axes);
  return path;
}

/// Permutes the axes of a tap without declaring it.
CapturePlace transpose(CaptureContents& contents, Draws& draws) {
  const CapturePlace path =
      drawn(outputs_where(contents,
                          [](const std::string& name, const CapturedTap& tap) {
                            const Shape& shape = tap.values.shape();
                            return is_number(name, tap) && shape.size() > 2 && shape[1] != shape[2];
                          }),
            draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  TensorView view = values.view();
  std::swap(view.shape[1], view.shape[2]);
  std::swap(view.strides[1], view.strides[2]);
  values = convert(view, values.dtype());
  return path;
}

CapturePlace store_integers(CaptureContents& contents, Draws& draws) {
  const CapturePlace path = drawn(outputs_where(contents, is_number), draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  values = Tensor(DType::i64, values.shape(), values.view().axes);
  return path;
}

}  // namespace parity::faults

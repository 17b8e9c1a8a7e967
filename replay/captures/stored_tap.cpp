// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/captures/stored_tap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parity::replay {
namespace {

/// Returns for each entry of `axes` its index in `planned`. Empty if the letters differ or one is repeated.
std::vector<size_t> order_of(const std::vector<std::string>& axes, const std::vector<std::string>& planned) {
  std::vector<size_t> order;
  for (const std::string& axis : axes) {
    const auto found = std::find(planned.begin(), planned.end(), axis);
    if (found == planned.end() || std::count(planned.begin(), planned.end(), axis) != 1) return {};
    order.push_back(static_cast<size_t>(found - planned.begin()));
  }
  return axes.size() == planned.size() ? order : std::vector<size_t>();
}

Shape permuted(const Shape& shape, const std::vector<size_t>& order) {
  Shape result;
  for (const size_t axis : order) result.push_back(shape[axis]);
  return result;
}

std::string joined(const std::vector<std::string>& axes, const std::vector<size_t>& order) {
  std::string text;
  for (const size_t axis : order) text += (text.empty() ? "" : ",") + axes[axis];
  return text;
}

bool represents(DType dtype, const Tensor& values) {
  const TensorView& view = values.view();
  for (int64_t i = 0, n = view.count(); i < n; ++i) {
    const double x = view.value(i);
    if (!std::isnan(x) && round_to(dtype, x) != x) return false;
  }
  return true;
}

}  // namespace

bool readable_as(DType found, DType wanted) {
  if (found == wanted) return true;
  if (is_float(found) && is_float(wanted)) return size_of(found) > 1 && size_of(wanted) > 1;  // codes are not numbers
  return found == DType::i32 && wanted == DType::i64;
}

bool narrower(DType stored, DType planned) {
  return is_float(stored) && is_float(planned) &&
         format_of(stored).significand_bits < format_of(planned).significand_bits;
}

std::string axes_read(const golden::DatasetInfo& dataset, const TapInfo& info) {
  const auto order = order_of(split_axes(dataset.axes), split_axes(info.axes));
  const bool moved = !order.empty() && !std::is_sorted(order.begin(), order.end());
  return moved && dataset.shape == permuted(info.shape, order) ? dataset.axes : info.axes;
}

std::string exchanged_axes(const Shape& shape, const TapInfo& info) {
  const std::vector<std::string> planned = split_axes(info.axes);
  if (shape.size() != planned.size() || shape == info.shape) return {};
  std::vector<size_t> order(planned.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<size_t> best;
  size_t fewest = planned.size() + 1;
  do {
    if (permuted(info.shape, order) != shape) continue;
    size_t moved = 0;
    for (size_t i = 0; i < order.size(); ++i) moved += order[i] != i ? 1 : 0;
    if (moved >= fewest) continue;
    fewest = moved;
    best = order;
  } while (std::next_permutation(order.begin(), order.end()));
  return best.empty() ? std::string() : joined(planned, best);
}

Tensor in_planned_order(const Tensor& found, const std::string& axes, const TapInfo& info) {
  if (axes == info.axes) return found.reshaped(info.shape, info.axes);
  const auto order = order_of(split_axes(info.axes), split_axes(axes));
  TensorView view = found.view();
  view.axes = info.axes;
  for (size_t axis = 0; axis < order.size(); ++axis) {
    view.shape[axis] = found.view().shape[order[axis]];
    view.strides[axis] = found.view().strides[order[axis]];
  }
  return convert(view, found.dtype());
}

Tensor in_planned_type(Tensor stored, DType planned) {
  if (stored.dtype() == planned) return stored;
  if (!is_float(stored.dtype())) return convert(stored.view(), planned);
  const bool same = !narrower(stored.dtype(), planned) && represents(planned, stored);
  return same ? convert(stored.view(), planned) : stored;
}

}  // namespace parity::replay

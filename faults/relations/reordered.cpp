// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations/reordered.hpp"

#include "core/text.hpp"

namespace parity::faults {

std::vector<int64_t> moved_on(int64_t n, int64_t by) {
  std::vector<int64_t> from;
  for (int64_t i = 0; i < n; ++i) from.push_back(((i - by) % n + n) % n);
  return from;
}

Tensor reordered(const TensorView& x, const Reorder& order) {
  PARITY_CHECK(order.axis < x.shape.size() && x.shape[order.axis] == static_cast<int64_t>(order.from.size()), internal,
               "{} positions are given for axis {} of {}", order.from.size(), order.axis, parity::to_string(x.shape));
  const Tensor plain = convert(x, DType::f64);
  const Tensor result(DType::f64, x.shape, x.axes);
  int64_t stride = 1;
  for (size_t axis = x.shape.size(); axis-- > order.axis + 1;) stride *= x.shape[axis];
  const int64_t extent = x.shape[order.axis];
  for (int64_t i = 0; i < x.count(); ++i) {
    const int64_t p = i / stride % extent;
    const double value = plain.f64()[i + (order.from[static_cast<size_t>(p)] - p) * stride];
    result.f64()[i] = !order.negated.empty() && order.negated[static_cast<size_t>(p)] ? -value : value;
  }
  return convert(result.view(), x.dtype);
}

TensorView ReorderedWeights::tensor(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto kept = changed_.find(name);
  if (kept != changed_.end()) return kept->second.view();
  TensorView view = inner_.tensor(name);
  for (const Reorder& order : orders_) {
    if (!glob_match(order.tensor, name)) continue;
    Tensor& changed = changed_[name];
    changed = reordered(view, order);
    view = changed.view();
  }
  return view;
}

}  // namespace parity::faults

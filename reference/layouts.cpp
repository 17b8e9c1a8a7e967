// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/layouts.hpp"

#include <algorithm>
#include <cstring>

namespace parity::reference {
namespace {

/// Rows with one element before and three after them, so that rows are not aligned for vector instructions.
TensorView padded(const TensorView& source, Tensor& keep) {
  Shape shape = source.shape;
  if (!shape.empty()) shape.back() += 4;
  keep = Tensor(source.dtype, shape);
  TensorView view = keep.view();
  view.shape = source.shape;
  if (!shape.empty()) view.data += size_of(source.dtype);
  copy_elements(source, view);
  return view;
}

/// Every other element of a buffer with twice as many elements.
TensorView stepped(const TensorView& source, Tensor& keep) {
  Shape shape = source.shape;
  shape.push_back(2);
  keep = Tensor(source.dtype, shape);
  TensorView view = keep.view();
  view.shape.pop_back();
  view.strides.pop_back();
  copy_elements(source, view);
  return view;
}

/// A layout in which the first axis is the dense one.
TensorView reversed(const TensorView& source, Tensor& keep) {
  keep = Tensor(source.dtype, {std::max<int64_t>(source.count(), 1)});
  TensorView view = source;
  view.data = keep.view().data;
  int64_t stride = 1;
  for (size_t axis = 0; axis < source.shape.size(); ++axis) {
    view.strides[axis] = stride;
    stride *= source.shape[axis];
  }
  copy_elements(source, view);
  return view;
}

/// A layout in which axes of extent 1 have arbitrary strides.
TensorView strange_units(const TensorView& source, Tensor& keep) {
  keep = convert(source, source.dtype);
  TensorView view = keep.view();
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    if (view.shape[axis] == 1) view.strides[axis] = axis % 2 == 0 ? 1 : 1000003;
  }
  return view;
}

}  // namespace

void copy_elements(const TensorView& from, const TensorView& to) {
  const int64_t bytes = size_of(from.dtype);
  for (int64_t flat = 0; flat < from.count(); ++flat)
    std::memcpy(to.data + to.offset(flat) * bytes, from.data + from.offset(flat) * bytes, static_cast<size_t>(bytes));
}

const std::array<Layout, 4>& layouts() {
  static constexpr std::array<Layout, 4> kLayouts{{{"padded", &padded, true},
                                                   {"stepped", &stepped, true},
                                                   {"reversed", &reversed, true},
                                                   {"strange units", &strange_units, false}}};
  return kLayouts;
}

}  // namespace parity::reference

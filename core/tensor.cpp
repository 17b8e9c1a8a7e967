// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tensor.hpp"

#include <algorithm>
#include <cstring>

namespace parity {
namespace {

constexpr size_t kGuardBytes = 64;  // eight elements on each side
constexpr std::byte kGuardPattern{0xA5};

Shape row_major(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * std::max<int64_t>(shape[axis], 1);
  return strides;
}

int axis_index(const TensorView& view, char axis) {
  const auto tokens = split_axes(view.axes);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == std::string(1, axis)) return static_cast<int>(i);
  }
  throw Error(ErrorCode::internal, fmt::format("axes '{}' have no axis {}", view.axes, axis));
}

void copy_elements(const TensorView& from, const TensorView& to) {
  const int64_t count = from.count();
  const int64_t width = size_of(from.dtype);
  if (from.dtype == to.dtype && from.contiguous() && to.contiguous()) {
    if (count > 0) std::memcpy(to.data, from.data, static_cast<size_t>(count * width));
    return;
  }
  const int64_t row = from.shape.empty() ? 1 : from.shape.back();  // addresses are computed once per row
  const int64_t step = from.shape.empty() ? 0 : from.strides.back() * width;
  const int64_t target_width = size_of(to.dtype);
  const int64_t target_step = to.shape.empty() ? 0 : to.strides.back() * target_width;
  for (int64_t first = 0; first < count; first += row) {
    const std::byte* source = from.data + from.offset(first) * width;
    std::byte* target = to.data + to.offset(first) * target_width;
    for (int64_t i = 0; i < row; ++i, source += step, target += target_step) {
      if (from.dtype == to.dtype) {
        std::memcpy(target, source, static_cast<size_t>(width));
      } else {
        store_element(to.dtype, target, load_element(from.dtype, source));
      }
    }
  }
}

}  // namespace

int64_t element_count(const Shape& shape) {
  constexpr int64_t kMost = int64_t{1} << 62;
  int64_t count = 1;
  for (const int64_t extent : shape) {
    PARITY_CHECK(extent >= 0, schema, "extent {} of shape {} is negative", extent, to_string(shape));
    PARITY_CHECK(extent == 0 || count <= kMost / extent, schema, "shape {} has more than 2^62 elements",
                 to_string(shape));
    count *= extent;
  }
  return count;
}

std::string to_string(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

std::vector<std::string> split_axes(std::string_view axes) {
  std::vector<std::string> tokens;
  while (!axes.empty()) {
    const size_t comma = axes.find(',');
    tokens.emplace_back(axes.substr(0, comma));
    if (comma == std::string_view::npos) break;
    axes.remove_prefix(comma + 1);
  }
  return tokens;
}

bool TensorView::contiguous() const {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;  // no element is out of place
  int64_t expected = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

int64_t TensorView::offset(int64_t flat) const {
  int64_t result = 0;
  for (size_t axis = shape.size(); axis-- > 0;) {
    result += (flat % shape[axis]) * strides[axis];
    flat /= shape[axis];
  }
  return result;
}

Tensor::Tensor(DType dtype, Shape shape, std::string axes) {
  allocate(dtype, std::move(shape), std::move(axes));
  std::memset(view_.data, 0, static_cast<size_t>(bytes()));
}

Tensor Tensor::unwritten(DType dtype, Shape shape, std::string axes, Place& place) {
  Tensor result;
  result.place_ = &place;
  result.allocate(dtype, std::move(shape), std::move(axes));
  return result;
}

Tensor Tensor::guarded(DType dtype, Shape shape, std::string axes, Place& place) {
  Tensor result;
  result.place_ = &place;
  result.guard_ = kGuardBytes;
  result.allocate(dtype, std::move(shape), std::move(axes));
  const auto elements = static_cast<size_t>(result.bytes());
  place.fill(result.view_.data, elements, std::array{std::byte{0}});
  for (std::byte* guard : {result.buffer_.get(), result.view_.data + elements})
    place.guard(guard, kGuardBytes, std::array{kGuardPattern});
  return result;
}

void Tensor::allocate(DType dtype, Shape shape, std::string axes) {
  const int64_t count = element_count(shape);
  PARITY_CHECK(count <= (int64_t{1} << 62) / size_of(dtype), schema, "tensor {} does not fit in memory",
               to_string(shape));
  const auto bytes = static_cast<size_t>(std::max<int64_t>(count * size_of(dtype), guard_ > 0 ? 0 : 1));
  // The alignment is that of frameworks: no load of a kernel then crosses more cache lines than there.
  buffer_ = place_->allocate(bytes + 2 * guard_);
  Shape strides = row_major(shape);
  view_ = {buffer_.get() + guard_, dtype, std::move(shape), std::move(strides), std::move(axes)};
}

bool Tensor::guards_intact() const {
  if (guard_ == 0) return true;
  const auto intact = [&](const std::byte* guard) {
    std::array<std::byte, kGuardBytes> now{};
    place_->read(now.data(), guard, now.size());
    return std::all_of(now.begin(), now.end(), [](std::byte b) { return b == kGuardPattern; });
  };
  return intact(buffer_.get()) && intact(view_.data + bytes());
}

Tensor Tensor::on_host() const {
  if (empty() || place_->is_host_memory()) return *this;
  Tensor result = unwritten(view_.dtype, view_.shape, view_.axes);
  place_->read(result.view_.data, view_.data, static_cast<size_t>(bytes()));
  return result;
}

namespace {

struct Reach {
  int64_t first = 0, last = 0;  // offsets in elements, from the view's own first one
};

Reach reach_of(const TensorView& view) {
  Reach reach{0, view.count() == 0 ? -1 : 0};
  for (size_t axis = 0; axis < view.shape.size() && reach.last >= 0; ++axis) {
    const int64_t step = (view.shape[axis] - 1) * view.strides[axis];
    (step < 0 ? reach.first : reach.last) += step;
  }
  return reach;
}

}  // namespace

Copied copied_to(Place& place, const TensorView& source) {
  if (source.empty()) return {};
  const auto [first, last] = reach_of(source);
  const int64_t width = size_of(source.dtype);
  Copied copy{Tensor::guarded(source.dtype, {last - first + 1}, {}, place), source};
  place.write(copy.memory.view().data, source.data + first * width, static_cast<size_t>(copy.memory.bytes()));
  copy.view.data = copy.memory.view().data - first * width;
  return copy;
}

Copied copied_from(const Place& place, const TensorView& source) {
  if (source.empty() || place.is_host_memory()) return {{}, source};
  const auto [first, last] = reach_of(source);
  const int64_t width = size_of(source.dtype);
  Copied copy{Tensor::unwritten(source.dtype, {last - first + 1}), source};
  place.read(copy.memory.view().data, source.data + first * width, static_cast<size_t>(copy.memory.bytes()));
  copy.view.data = copy.memory.view().data - first * width;
  return copy;
}

void copy_back(Place& place, const Copied& copy, const TensorView& source) {
  if (copy.memory.empty()) return;
  const std::byte* first = copy.memory.view().data;
  place.write(source.data + (first - copy.view.data), first, static_cast<size_t>(copy.memory.bytes()));
}

Tensor convert(const TensorView& source, DType dtype) {
  Tensor result = Tensor::unwritten(dtype, source.shape, source.axes);
  copy_elements(source, result.view());
  return result;
}

Tensor widen(const TensorView& source) { return convert(source, is_float(source.dtype) ? DType::f64 : DType::i64); }

Tensor widen(const Tensor& source) {
  const bool wide = source.dtype() == DType::f64 || source.dtype() == DType::i64;
  return wide ? source : widen(source.view());
}

Tensor Tensor::reshaped(const Shape& shape, const std::string& axes) const {
  PARITY_CHECK(element_count(shape) == view_.count(), internal, "a tensor of shape {} cannot be reshaped to {}",
               to_string(view_.shape), to_string(shape));
  Tensor result = *this;
  result.view_.shape = shape;
  result.view_.strides = row_major(shape);
  result.view_.axes = axes;
  return result;
}

Tensor concatenate(const std::vector<TensorView>& parts, char axis) {
  PARITY_CHECK(!parts.empty(), internal, "nothing to concatenate");
  const int index = axis_index(parts.front(), axis);
  Shape shape = parts.front().shape;
  shape[index] = 0;
  for (const TensorView& part : parts) shape[index] += part.shape[index];
  Tensor result = Tensor::unwritten(parts.front().dtype, shape, parts.front().axes);
  int64_t first = 0;
  for (const TensorView& part : parts) {
    const TensorView target = slice(result.view(), axis, first, part.shape[index]);
    PARITY_CHECK(target.shape == part.shape, schema, "tensors of shapes {} and {} cannot be concatenated along axis {}",
                 to_string(part.shape), to_string(parts.front().shape), axis);
    copy_elements(part, target);
    first += part.shape[index];
  }
  return result;
}

TensorView slice(const TensorView& source, char axis, int64_t first, int64_t length) {
  const int index = axis_index(source, axis);
  PARITY_CHECK(first >= 0 && length >= 0 && first + length <= source.shape[index], internal,
               "a slice from {} up to, not including, {} is outside axis {} of shape {}", first, first + length, axis,
               to_string(source.shape));
  TensorView result = source;
  result.data += first * source.strides[index] * size_of(source.dtype);
  result.shape[index] = length;
  return result;
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tensors: a non-owning strided view with axis letters, and the owning buffer behind it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.hpp"
#include "core/error.hpp"
#include "core/place.hpp"

namespace parity {

using Shape = std::vector<int64_t>;
/// Extent of each axis letter ("A" -> 64 query heads); docs/golden-format.md, section 4, lists the letters.
using AxisSizes = std::map<char, int64_t>;

/// Product of the extents. Throws Error{schema} when one is negative or the product exceeds 2^62 (hostile files).
[[nodiscard]] int64_t element_count(const Shape& shape);
[[nodiscard]] std::string to_string(const Shape& shape);                   // "(2, 137, 48)"
[[nodiscard]] std::vector<std::string> split_axes(std::string_view axes);  // "B,S,AD" -> {"B", "S", "AD"}

/// Typed strided access to data of rank Rank. T is double, int64_t or a native type (core/dtype.hpp).
template <class T, int Rank>
struct Span {
  T* data = nullptr;
  std::array<int64_t, Rank> extent{};
  std::array<int64_t, Rank> stride{};

  template <class... Index>
  [[nodiscard]] T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank);
    int64_t offset = 0;
    size_t axis = 0;
    ((offset += static_cast<int64_t>(index) * stride[axis++]), ...);
    return data[offset];
  }
};

/// A non-owning view; strides are in elements. `axes` are letters by comma, one token per dimension ("B,S,AD").
struct TensorView {
  std::byte* data = nullptr;
  DType dtype = DType::f64;
  Shape shape;
  Shape strides;
  std::string axes;

  [[nodiscard]] bool empty() const { return data == nullptr; }  // true for an absent optional operand
  [[nodiscard]] int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  [[nodiscard]] int64_t count() const { return element_count(shape); }
  [[nodiscard]] bool contiguous() const;
  [[nodiscard]] int64_t offset(int64_t flat) const;  // offset of the flat-th element in row-major order
  [[nodiscard]] double value(int64_t flat) const { return load_element(dtype, data + offset(flat) * size_of(dtype)); }

  /// Elements as T. Throws Error{internal} unless the dtype is T's and the leading axes can be folded to rank Rank.
  template <class T, int Rank>
  [[nodiscard]] Span<T, Rank> as() const;

  /// A view of these elements under other axes: splits "AD" into A,D, folds B,S into N, permutes; never copies. Throws
  /// Error{internal} when folding would need a copy.
  [[nodiscard]] TensorView view_as(std::string_view target_axes, const AxisSizes& sizes) const;
  /// Whether view_as succeeds without a copy; "B,A,S,D", for one, cannot be read as "B,S,AD".
  [[nodiscard]] bool viewable_as(std::string_view target_axes, const AxisSizes& sizes) const;
};

/// Owns a contiguous row-major buffer at a place. Copies share the buffer.
class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Shape shape, std::string axes = {});  // zero filled, on the host
  /// An uninitialised tensor: every element must be written before it is read.
  [[nodiscard]] static Tensor unwritten(DType dtype, Shape shape, std::string axes = {}, Place& place = host());
  /// A zero-filled tensor between guards: bytes of a fixed pattern that writes outside of the elements destroy.
  [[nodiscard]] static Tensor guarded(DType dtype, Shape shape, std::string axes = {}, Place& place = host());

  /// Whether nothing was written outside of the elements; always true without guards.
  [[nodiscard]] bool guards_intact() const;
  [[nodiscard]] const TensorView& view() const { return view_; }
  [[nodiscard]] bool empty() const { return view_.empty(); }
  [[nodiscard]] int64_t bytes() const { return empty() ? 0 : view_.count() * size_of(view_.dtype); }
  [[nodiscard]] Place& place() const { return *place_; }
  [[nodiscard]] DType dtype() const { return view_.dtype; }
  [[nodiscard]] const Shape& shape() const { return view_.shape; }
  [[nodiscard]] double* f64() const { return reinterpret_cast<double*>(view_.data); }
  [[nodiscard]] int64_t* i64() const { return reinterpret_cast<int64_t*>(view_.data); }
  /// This buffer under another shape with the same number of elements. Throws Error{internal} for another number.
  [[nodiscard]] Tensor reshaped(const Shape& shape, const std::string& axes) const;
  /// A tensor with these elements in the host's memory; shares the buffer if the elements are there already.
  [[nodiscard]] Tensor on_host() const;

 private:
  void allocate(DType dtype, Shape shape, std::string axes);

  Place* place_ = &host();
  std::shared_ptr<std::byte[]> buffer_;
  TensorView view_;
  size_t guard_ = 0;  // bytes on each side
};

/// A view together with the tensor that owns its elements.
struct Copied {
  Tensor memory;
  TensorView view;
};
/// A copy at `place`, between guards, of all bytes from the view's first element to its last. Strides and the bytes
/// between elements are preserved. `source` is in the host's memory.
[[nodiscard]] Copied copied_to(Place& place, const TensorView& source);
/// The same the other way: a view at `place` in the host's memory, without guards. On the host it is the view itself.
[[nodiscard]] Copied copied_from(const Place& place, const TensorView& source);
/// All bytes of copied_from(place, source), which the host may have changed, to where they came from.
void copy_back(Place& place, const Copied& copy, const TensorView& source);

/// A contiguous copy with every element rounded once to `dtype`.
[[nodiscard]] Tensor convert(const TensorView& source, DType dtype);
/// A copy for code that computes in binary64: floats widened to f64, integers and booleans to i64.
[[nodiscard]] Tensor widen(const TensorView& source);
/// Does the same as widen() of a view, but shares the buffer if the elements are f64 or i64 already.
[[nodiscard]] Tensor widen(const Tensor& source);
/// A contiguous copy under other axes, named as for view_as; also folds axes that a view cannot fold.
[[nodiscard]] Tensor copied_as(const TensorView& source, const std::string& target_axes, const AxisSizes& sizes);
/// The parts joined along `axis` ("K"); all other extents must be equal.
[[nodiscard]] Tensor concatenate(const std::vector<TensorView>& parts, char axis);
/// A view of the indices [first, first + length) along `axis`.
[[nodiscard]] TensorView slice(const TensorView& source, char axis, int64_t first, int64_t length);

template <class T, int Rank>
Span<T, Rank> TensorView::as() const {
  constexpr DType wanted = kDTypeOf<T>;
  static_assert(wanted != DType::boolean, "no DType has elements of this type");
  PARITY_CHECK(dtype == wanted, internal, "tensor is {}, the kernel reads {}", to_string(dtype), to_string(wanted));
  PARITY_CHECK(rank() >= Rank, internal, "tensor has rank {}, the kernel reads rank {}", rank(), Rank);
  Span<T, Rank> result;
  result.data = reinterpret_cast<T*>(data);
  const int64_t folded = rank() - Rank;  // leading dimensions that become one
  if constexpr (Rank > 0) {
    const bool none = std::find(shape.begin(), shape.begin() + folded + 1, 0) != shape.begin() + folded + 1;
    result.extent[0] = none ? 0 : 1;
    for (int64_t axis = folded; axis >= 0 && !none; --axis) {  // a tensor without rows needs no strides
      if (shape[axis] == 1) continue;                          // an extent of 1 needs no stride
      if (result.extent[0] == 1) result.stride[0] = strides[axis];
      const bool dense = strides[axis] == result.stride[0] * result.extent[0];
      PARITY_CHECK(dense, internal, "axis {} of {} cannot be folded without a copy", axis, to_string(shape));
      result.extent[0] *= shape[axis];
    }
  }
  for (int axis = 1; axis < Rank; ++axis) {
    result.extent[axis] = shape[folded + axis];
    result.stride[axis] = strides[folded + axis];
  }
  return result;
}

}  // namespace parity

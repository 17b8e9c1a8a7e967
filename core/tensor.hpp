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
/// Size of each axis letter ("A" -> 64 query heads); the letters are those of docs/golden-format.md, section 4.
using AxisSizes = std::map<char, int64_t>;

/// Product of the extents; Error{schema} when negative or beyond 2^62 (hostile files).
[[nodiscard]] int64_t element_count(const Shape& shape);
[[nodiscard]] std::string to_string(const Shape& shape);                   // "(2, 137, 48)"
[[nodiscard]] std::vector<std::string> split_axes(std::string_view axes);  // "B,S,AD" -> {"B", "S", "AD"}

/// Typed strided access to rank-N data, T = double or int64_t, or a native type (core/dtype.hpp).
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

/// Non-owning; strides in elements. `axes` are comma separated letters, one token per dimension ("B,S,AD").
struct TensorView {
  std::byte* data = nullptr;
  DType dtype = DType::f64;
  Shape shape;
  Shape strides;
  std::string axes;

  [[nodiscard]] bool empty() const { return data == nullptr; }  // an absent optional operand
  [[nodiscard]] int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  [[nodiscard]] int64_t count() const { return element_count(shape); }
  [[nodiscard]] bool contiguous() const;
  [[nodiscard]] int64_t offset(int64_t flat) const;  // of the flat-th element in row-major order
  [[nodiscard]] double value(int64_t flat) const { return load_element(dtype, data + offset(flat) * size_of(dtype)); }

  /// Elements as T; Error{internal} unless the dtype matches and the leading axes can be folded to Rank dimensions.
  template <class T, int Rank>
  [[nodiscard]] Span<T, Rank> as() const;

  /// The same elements under other axes: splits "AD" into A,D, folds B,S into N, permutes; never copies.
  /// Error{internal} when folding would need a copy.
  [[nodiscard]] TensorView view_as(std::string_view target_axes, const AxisSizes& sizes) const;
  /// Whether view_as can do without a copy: "B,A,S,D" cannot be read as "B,S,AD".
  [[nodiscard]] bool viewable_as(std::string_view target_axes, const AxisSizes& sizes) const;
};

/// Owns a contiguous row-major buffer at a place.
class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Shape shape, std::string axes = {});  // zero filled, on the host
  /// Uninitialised: every element must be written before it is read.
  [[nodiscard]] static Tensor unwritten(DType dtype, Shape shape, std::string axes = {}, Place& place = host());
  /// Zero filled, between guards of a fixed pattern, which writes beside the elements destroy.
  [[nodiscard]] static Tensor guarded(DType dtype, Shape shape, std::string axes = {}, Place& place = host());

  /// False once something wrote beside the elements; true without guards.
  [[nodiscard]] bool guards_intact() const;
  [[nodiscard]] const TensorView& view() const { return view_; }
  [[nodiscard]] bool empty() const { return view_.empty(); }
  [[nodiscard]] int64_t bytes() const { return empty() ? 0 : view_.count() * size_of(view_.dtype); }
  [[nodiscard]] Place& place() const { return *place_; }
  [[nodiscard]] DType dtype() const { return view_.dtype; }
  [[nodiscard]] const Shape& shape() const { return view_.shape; }
  [[nodiscard]] double* f64() const { return reinterpret_cast<double*>(view_.data); }
  [[nodiscard]] int64_t* i64() const { return reinterpret_cast<int64_t*>(view_.data); }
  /// The same buffer under another shape of equal count; Error{internal} otherwise.
  [[nodiscard]] Tensor reshaped(const Shape& shape, const std::string& axes) const;
  /// The same elements in the host's memory; shares the buffer when they are there.
  [[nodiscard]] Tensor on_host() const;

 private:
  void allocate(DType dtype, Shape shape, std::string axes);

  Place* place_ = &host();
  std::shared_ptr<std::byte[]> buffer_;
  TensorView view_;
  size_t guard_ = 0;  // bytes on each side
};

/// A view and what owns its elements.
struct Copied {
  Tensor memory;
  TensorView view;
};
/// A copy at `place`, between guards, of all bytes from the view's first element to its last: strides stay, and so do the
/// bytes between elements. `source` is in the host's memory.
[[nodiscard]] Copied copied_to(Place& place, const TensorView& source);
/// The same the other way: a view at `place` in the host's memory, without guards. On the host it is the view itself.
[[nodiscard]] Copied copied_from(const Place& place, const TensorView& source);
/// All bytes of copied_from(place, source), which the host may have changed, to where they came from.
void copy_back(Place& place, const Copied& copy, const TensorView& source);

/// A contiguous copy with elements converted to `dtype` (rounded once).
[[nodiscard]] Tensor convert(const TensorView& source, DType dtype);
/// What computes in binary64 reads this: floats widened to f64, integers and booleans to i64.
[[nodiscard]] Tensor widen(const TensorView& source);
/// As above, sharing the buffer when nothing is to be converted.
[[nodiscard]] Tensor widen(const Tensor& source);
/// The elements under other axes as view_as names them, contiguous: folds what a view cannot.
[[nodiscard]] Tensor copied_as(const TensorView& source, const std::string& target_axes, const AxisSizes& sizes);
/// Parts joined along the axis `axis` ("K"); all other extents must agree.
[[nodiscard]] Tensor concatenate(const std::vector<TensorView>& parts, char axis);
/// View of rows [first, first + length) along `axis`.
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
    for (int64_t axis = folded; axis >= 0 && !none; --axis) {  // of no rows no stride says anything
      if (shape[axis] == 1) continue;                          // its stride says nothing
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

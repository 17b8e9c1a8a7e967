// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How the numbers of one tensor are changed, as data: which elements, and what becomes of them.
#pragma once

#include <optional>
#include <string>

#include "core/tensor.hpp"

namespace parity::faults {

/// out = map(x), of the same shape. Positions along `axis` are chosen by first, count and every; without an axis, all.
struct TensorMap {
  enum class Kind : uint8_t {
    scale,          // x * number
    offset,         // x + number
    fill,           // number
    at_least,       // max(x, number)
    at_most,        // min(x, number)
    modulo,         // x mod number, never negative
    round,          // to `dtype` and back
    copy,           // the values at position `by`
    roll,           // from position - by, around the ends
    shift,          // from position - by; 0 from outside
    reverse,        // from the other end
    swap_halves,    // second half, first half
    interleave,     // halves (a, b) become a0 b0 a1 b1 …
    deinterleave,   // a0 b0 a1 b1 … become halves
    regroup,        // position a of n reads (a mod by) * (n / by) + a / by
    ascending,      // sorted; negative ones stay behind
    centre,         // minus the mean of the axis
    as_transposed,  // the memory of x with axis and `by` exchanged, read as if they were not
  };

  Kind kind = Kind::scale;
  double number = 0.0;
  DType dtype = DType::bf16;
  std::string axes;         // under which the tensor is looked at; empty: its own
  std::string axis;         // token of them ("A", "AD")
  int64_t by = 1;           // of as_transposed: index of the other axis
  int64_t first = 0;        // negative: from the end
  int64_t count = 1 << 30;  // positions from there on
  int64_t every = 1;
  bool from_fresh = false;  // `first` counts from the first slot of this call (K - S)
};

/// The axis as a number and the selection made definite for one shape.
struct PlacedMap {
  TensorMap::Kind kind = TensorMap::Kind::scale;
  double number = 0.0;
  DType dtype = DType::bf16;
  int64_t axis = -1;
  int64_t by = 1, first = 0, last = 0, every = 1;
};

/// Error{usage} when the axes have no such token.
[[nodiscard]] PlacedMap placed(const TensorMap& map, const std::string& axes, const Shape& shape,
                               const AxisSizes& sizes);

/// out[i] = …, flat row-major over `shape`; x and out must not overlap.
void apply(const PlacedMap& map, const Shape& shape, const double* x, double* out);

[[nodiscard]] TensorMap::Kind tensor_map_kind(const std::string& name);  // Error{usage}, nearest name

}  // namespace parity::faults

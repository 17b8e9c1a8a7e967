// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Describes as data how the numbers of one tensor are changed: the selected elements and the operation on them.
#pragma once

#include <map>
#include <string>

#include "core/tensor.hpp"

namespace parity::faults {

/// A change out = map(x) that keeps the shape. `first`, `count`, `every` select positions of `axis`; no axis: all.
struct TensorMap {
  enum class Kind : uint8_t {
    scale,          // x * number
    offset,         // x + number
    fill,           // number
    at_least,       // max(x, number)
    at_most,        // min(x, number)
    modulo,         // x mod number, never negative
    round,          // rounded to `dtype` and back
    truncate,       // rounded toward zero to `dtype` and back
    significand,    // rounded to `number` significant bits (tf32: 11), any exponent
    copy,           // the values at position `by`; negative: counted from the end
    roll,           // the values at position - by, wrapping around
    late,           // the values at position - by, or of the nearest end if outside
    relative,       // x minus x at position 0
    reverse,        // positions in reverse order
    swap_halves,    // second half, first half
    interleave,     // halves (a, b) become a0 b0 a1 b1 …
    deinterleave,   // a0 b0 a1 b1 … become halves
    regroup,        // position a of n reads (a mod by) * (n / by) + a / by
    windowed,       // exchanges rows and columns in each window of by x by positions
    ascending,      // sorted; negative values stay at the end
    centre,         // x minus the mean along the axis
    softmax,        // exp(x) divided by their sum along the axis
    as_transposed,  // reads the memory of x with axis and `by` exchanged as if they were not
  };

  Kind kind = Kind::scale;
  std::string number = "1";  // an expression (see `value_of_expression`)
  DType dtype = DType::bf16;
  std::string axis;         // an axis with which the kernel accesses the operand ("A", "AD")
  int64_t by = 1;           // for as_transposed: index of the other axis
  std::string first = "0";  // an expression; negative: counted from the end
  int64_t count = 1 << 30;  // number of positions from `first` on
  int64_t every = 1;
  bool from_fresh = false;  // `first` counts from this call's first slot (K - S)
};

/// A map for one shape, with the index of the axis and the selected positions.
struct PlacedMap {
  TensorMap::Kind kind = TensorMap::Kind::scale;
  double number = 0.0;
  DType dtype = DType::bf16;
  int64_t axis = -1;
  int64_t by = 1, first = 0, last = 0, every = 1;
  Shape shape = {};  // shape for which the map was made
};

/// Returns the shape in which a map is applied to a tensor that a kernel sees as `seen`. An elementwise kernel sees one
/// axis where the plan has several. Throws Error{unsupported} for a tensor of another size.
[[nodiscard]] Shape applied_shape(const PlacedMap& map, const Shape& seen);

/// Evaluates an expression: a number, a name in `names` (axis letter, parameter), sqrt(name) or rsqrt(name) = 1 /
/// sqrt(name), each with an optional minus sign. Throws Error{usage} for other text.
[[nodiscard]] double value_of_expression(const std::string& expression, const std::map<std::string, double>& names);

/// Whether the kind changes each element separately, and so needs no axis.
[[nodiscard]] bool is_elementwise(TensorMap::Kind kind);
/// Throws Error{code}, which names `text`, if a count that the map uses is below 1.
void require_counts(const TensorMap& map, ErrorCode code, const std::string& text);

/// Returns the map for a shape. `names` are those of expressions. Throws Error{usage} if `axes` lacks the map's axis.
[[nodiscard]] PlacedMap placed(const TensorMap& map, const std::string& axes, const Shape& shape,
                               const AxisSizes& sizes, const std::map<std::string, double>& names = {});

/// Writes out = map(x), row-major over `shape`. x and out must not overlap. Infinities stay: they mark masked elements.
void apply(const PlacedMap& map, const Shape& shape, const double* x, double* out);

[[nodiscard]] TensorMap::Kind tensor_map_kind(const std::string& name);  // throws Error{usage} with the nearest name
[[nodiscard]] const char* kind_name(TensorMap::Kind kind);

}  // namespace parity::faults

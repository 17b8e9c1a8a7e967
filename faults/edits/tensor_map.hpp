// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How the numbers of one tensor are changed, as data: which elements, and what becomes of them.
#pragma once

#include <map>
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
    truncate,       // the same, towards zero
    significand,    // to so many significant bits (`number`; tf32: 11), any exponent
    copy,           // the values at position `by`; negative: from the end
    roll,           // from position - by, around the ends
    late,           // from position - by; what comes from outside is the nearest end
    relative,       // x - x at position 0
    reverse,        // from the other end
    swap_halves,    // second half, first half
    interleave,     // halves (a, b) become a0 b0 a1 b1 …
    deinterleave,   // a0 b0 a1 b1 … become halves
    regroup,        // position a of n reads (a mod by) * (n / by) + a / by
    windowed,       // in every window of by x by positions, rows and columns exchanged
    ascending,      // sorted; negative ones stay at the end
    centre,         // minus the mean of the axis
    as_transposed,  // the memory of x with axis and `by` exchanged, read as if they were not
  };

  Kind kind = Kind::scale;
  std::string number = "1";  // an expression: see `value_of_expression`
  DType dtype = DType::bf16;
  std::string axis;         // one of those under which the kernel reads or writes the operand ("A", "AD")
  int64_t by = 1;           // of as_transposed: index of the other axis
  std::string first = "0";  // an expression; negative: from the end
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
  Shape shape = {};  // that it was placed in
};

/// The shape in which a map is applied to a tensor that a kernel sees as `seen`: an elementwise kernel sees one axis where the
/// plan has several. Error{unsupported} for a tensor of another size.
[[nodiscard]] Shape applied_shape(const PlacedMap& map, const Shape& seen);

/// A number, a name of `names` (axis letters, parameters), sqrt(name) or rsqrt(name) = 1 / sqrt(name), each with an optional
/// leading minus; Error{usage} for anything else.
[[nodiscard]] double value_of_expression(const std::string& expression, const std::map<std::string, double>& names);

/// Changes each element by itself: needs no axis.
[[nodiscard]] bool is_elementwise(TensorMap::Kind kind);

/// Error{usage} when the axes have no such token. `names` are those of expressions.
[[nodiscard]] PlacedMap placed(const TensorMap& map, const std::string& axes, const Shape& shape,
                               const AxisSizes& sizes, const std::map<std::string, double>& names = {});

/// out[i] = …, flat row-major over `shape`; x and out must not overlap. Infinities are not scaled: they mark what is left out.
void apply(const PlacedMap& map, const Shape& shape, const double* x, double* out);

[[nodiscard]] TensorMap::Kind tensor_map_kind(const std::string& name);  // Error{usage}, nearest name
[[nodiscard]] const char* kind_name(TensorMap::Kind kind);

}  // namespace parity::faults

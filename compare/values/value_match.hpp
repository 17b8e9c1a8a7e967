// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Describes wrong values: finds the known transformation of the expected values, or of other tensors, that gives them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/judging/record.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

/// A tensor of the tap's number of elements from which the values may have been copied.
struct OtherTensor {
  enum class Role : uint8_t { input, recorded };  // an input of the node; or the tap in another call or layer
  Role role = Role::recorded;
  std::string name;
  std::function<Tensor()> read;  // called only when the tensor is compared
};

/// A tap with its expected values. All arrays must outlive the call. Ids and integers are given as binary64.
struct ValueQuery {
  const double* got = nullptr;
  const double* rounded = nullptr;  // oracle-rounded reference
  const double* exact = nullptr;
  const double* allowed = nullptr;  // per element: allowed distance of `got` from `exact`
  int64_t count = 0;
  DType dtype = DType::f64;  // recorded type
  std::string axes;
  Shape shape;
  AxisSizes sizes;  // extents by which "AD" is split into heads and channels
  std::vector<OtherTensor> others;
  const TensorView* marked = nullptr;  // `got` as stored, if it held Poison::nan before the kernel ran
};

/// Returns the best description of the elements beyond their allowed deviation, or of those with other bits, if one
/// description explains all of these or no other is found. Returns nullopt unless it holds for nearly all of the
/// elements and chance is ruled out.
///
/// Of several true descriptions, the one that explains the largest share of wrong elements wins. Next, one along an
/// axis wins over one of rows or of several axes in one. Then the most specific kind wins, in this order: unwritten,
/// nan, rounded, truncated, zero, constant, negated, exchanged, reversed, shifted, interleaved, transposed, scaled, offset,
/// input, stale, scaled_rows, permuted. So two swapped halves are "exchanged", though they are also rotated.
[[nodiscard]] std::optional<ValueMatch> match_values(const ValueQuery& query);

}  // namespace parity::compare

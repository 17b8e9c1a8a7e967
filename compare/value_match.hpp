// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Says what wrong values are: which known transformation of the expected values, or of other tensors, gives exactly these.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/record.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

/// A tensor with as many elements, from which the values may have been copied.
struct OtherTensor {
  enum class Role : uint8_t { input, recorded };  // of the node; the same tap of another call or layer
  Role role = Role::recorded;
  std::string name;
  std::function<Tensor()> read;  // only when it is compared with
};

/// A tap and its expected values; everything must outlive the call. Ids and integers are given as binary64.
struct ValueQuery {
  const double* got = nullptr;
  const double* rounded = nullptr;  // the reference as the oracle rounds
  const double* exact = nullptr;
  const double* allowed = nullptr;  // per element: how far `got` may be from `exact`
  int64_t count = 0;
  DType dtype = DType::f64;  // as recorded
  std::string axes;
  Shape shape;
  AxisSizes sizes;  // they take "AD" apart into heads and channels
  std::vector<OtherTensor> others;
};

/// The best description of the elements that are not within their allowed deviation (or, when that does not tell, of those
/// that have other bits); nothing unless it holds for nearly all of them and chance is ruled out.
///
/// Several true descriptions are told apart by the share of the wrong elements that they explain; then those of an axis win
/// over those of rows or of several axes in one; then by this order, the most specific first: unwritten,
/// rounded, truncated, zero, constant, negated, exchanged, reversed, shifted, interleaved, transposed, scaled, offset, input,
/// stale, permuted. So the two halves in each other's place are exchanged, though
/// they are rotated too, and rows of another tensor that are rows of this one come from this one.
[[nodiscard]] std::optional<ValueMatch> match_values(const ValueQuery& query);

}  // namespace parity::compare

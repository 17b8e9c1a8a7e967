// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: a tap of normal numbers, and the name that the matcher gives to changed values of it.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "compare/values/value_match.hpp"
#include "core/random.hpp"

namespace parity::compare::tests {

/// A tap of normal numbers and a candidate's copy of it. The shape is (B, S, A, D) = (2, 6, 4, 8), with axes "B,S,AD".
struct Tap {
  static constexpr int64_t B = 2, S = 6, A = 4, D = 8;
  DType dtype = DType::bf16;
  std::string axes = "B,S,AD";
  Shape shape{B, S, A* D};
  AxisSizes sizes{{'B', B}, {'S', S}, {'A', A}, {'D', D}};
  std::vector<double> exact, rounded, got, allowed;
  std::vector<OtherTensor> others;

  explicit Tap(DType type = DType::bf16, uint64_t seed = 1) : dtype(type) {
    const Random random(seed, "value_match");
    for (int64_t i = 0; i < B * S * A * D; ++i) {
      exact.push_back(random.normal(static_cast<uint64_t>(i)));
      rounded.push_back(round_to(dtype, exact.back()));
      allowed.push_back(2.0 * unit_roundoff(dtype) * std::abs(exact.back()));
    }
    got = rounded;
  }

  static size_t at(int64_t b, int64_t s, int64_t a, int64_t d) {
    return static_cast<size_t>(((b * S + s) * A + a) * D + d);
  }
  /// Sets every element to change(value, b, s, a, d).
  template <class Change>
  Tap& changed(const Change& change) {
    for (int64_t b = 0; b < B; ++b)
      for (int64_t s = 0; s < S; ++s)
        for (int64_t a = 0; a < A; ++a)
          for (int64_t d = 0; d < D; ++d) got[at(b, s, a, d)] = change(rounded[at(b, s, a, d)], b, s, a, d);
    return *this;
  }
  /// Sets every element to the value at the index that source(b, s, a, d) returns.
  template <class Source>
  Tap& moved(const Source& source) {
    return changed([&](double, int64_t b, int64_t s, int64_t a, int64_t d) { return rounded[source(b, s, a, d)]; });
  }
  [[nodiscard]] std::optional<ValueMatch> match() const {
    ValueQuery query;
    query.got = got.data();
    query.rounded = rounded.data();
    query.exact = exact.data();
    query.allowed = allowed.data();
    query.count = static_cast<int64_t>(got.size());
    query.dtype = dtype;
    query.axes = axes;
    query.shape = shape;
    query.sizes = sizes;
    query.others = others;
    return match_values(query);
  }
  /// Returns "kind axis: detail" of the match, or an empty string without a match.
  [[nodiscard]] std::string words() const {
    const auto found = match();
    return found ? std::string(to_string(found->kind)) + " " + found->axis + ": " + found->detail : "";
  }
};

using I = int64_t;  // type of an unused index

}  // namespace parity::compare::tests

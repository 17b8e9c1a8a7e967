// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/rounding.hpp"
#include "reference/support.hpp"

namespace parity::reference {

/// Rounding points of a softmax row: each exponential and its argument, their sum, each quotient.
struct SoftmaxPoints {
  Round exponential, sum, out;
};

/// exp(x_e - max x) / sum exp(x - max x) for the row n of `logits`.
template <class Num>
std::vector<Num> softmax_row(const Span<double, 2>& logits, int64_t n, const SoftmaxPoints& round) {
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t e = 0; e < logits.extent[1]; ++e) largest = std::max(largest, logits(n, e));
  std::vector<Num> result;
  Sum<Num> sum(round.sum);
  for (int64_t e = 0; e < logits.extent[1]; ++e) {
    const Num below =
        round.exponential(Num(logits(n, e) - largest));  // also a binary32 operation: at -70 it errs by 70 u of exp
    result.push_back(round.exponential(exponential(below)));
    sum.add(result.back());
  }
  for (Num& value : result) value = round.out(value / sum.value());
  return result;
}

}  // namespace parity::reference

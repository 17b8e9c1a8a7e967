// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The choice of a token's experts: forced ones, or the k best.
#pragma once

#include <vector>

#include "core/bounded.hpp"
#include "core/tensor.hpp"
#include "reference/top_k.hpp"

namespace parity::reference {

/// Row `n` of `forced` (N, T) if `forced` is given; otherwise the experts of the k largest values of `choice`.
template <class Num>
std::vector<int64_t> chosen_experts(const TensorView& forced, int64_t n, const std::vector<Num>& choice, int64_t k) {
  std::vector<int64_t> experts;
  if (!forced.empty()) {
    const auto ids = forced.as<int64_t, 2>();                                                                  // (N, T)
    for (int64_t t = 0; t < ids.extent[1]; ++t) experts.push_back(ids(n, t));
    return experts;
  }
  std::vector<double> scores;
  for (const Num& score : choice) scores.push_back(value_of(score));
  return top_k(scores, k);
}

}  // namespace parity::reference

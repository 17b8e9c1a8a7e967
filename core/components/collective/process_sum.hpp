// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sum over processes.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n,h] = sum_r parts_r[n,h] in binary32; the order of the sum is not prescribed.
struct ProcessSum {
  static constexpr ComponentText text{"process_sum", "out = sum_r parts_r",
                                      "all_reduce in GroupedExperts (NeMo Automodel)"};
  struct Params {};
  struct Inputs {
    std::vector<TensorView> parts;  // R x (N, H)
  };
  struct Outputs {
    TensorView out;                                                                                   // (N, H) binary32
  };
  struct Points {
    Round total;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{field("parts", &Inputs::parts, "N,H")}; }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "N,H")}; }
  static constexpr auto points() { return std::tuple{point("total", &Points::total, Precision::single)}; }
};

}  // namespace parity

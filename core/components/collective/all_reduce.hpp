// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// All-reduce: the sum of what every rank holds.
#pragma once

#include "core/component.hpp"
#include "core/sum_order.hpp"

namespace parity {

/// out[i] = sum_r parts_r[i]. Ranks exchange partial sums in the type of the operands, so each addition is rounded to
/// it. `order` is a SumOrder. The bound holds for every order.
struct AllReduce {
  static constexpr ComponentText text{"all_reduce", "out = sum_r parts_r",
                                      "torch.distributed.all_reduce; rings and trees of NCCL, rings of gloo"};
  static constexpr Traits traits{.parallel = "*H", .adds = true};
  struct Params {
    int64_t order = 0;
  };
  struct Inputs {
    std::vector<TensorView> parts;  // R x (..., H)
  };
  struct Outputs {
    TensorView out;  // (..., H)
  };
  struct Points {
    Round sum;
  };
  static constexpr auto params() { return std::tuple{param("order", &Params::order, among(0, 1, 2, 3))}; }
  static constexpr auto inputs() { return std::tuple{field("parts", &Inputs::parts, "*,H")}; }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,H")}; }
  static constexpr auto points() { return std::tuple{point("sum", &Points::sum, Precision::working)}; }
};

}  // namespace parity

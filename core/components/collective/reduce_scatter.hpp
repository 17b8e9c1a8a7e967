// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reduce-scatter: the rows of one rank in the sum of what every rank holds.
#pragma once

#include "core/component.hpp"
#include "core/sum_order.hpp"

namespace parity {

/// out[n] = sum_r parts_r[first_row + n]. Each addition is rounded to the type of the operands, in which ranks exchange
/// them. `order` is a SumOrder of the whole sum: an element is added in the same order as by all_reduce. The bound holds
/// for every order. Rows outside of the parts are refused.
struct ReduceScatter {
  static constexpr ComponentText text{"reduce_scatter", "out[n] = sum_r parts_r[first_row + n]",
                                      "torch.distributed.reduce_scatter_tensor; all2all backend "
                                      "allgather_reducescatter (vLLM)"};
  static constexpr Traits traits{.sent = SentRows::own, .adds = true};
  struct Params {
    int64_t order = 0;
    int64_t first_row = 0;
  };
  struct Inputs {
    std::vector<TensorView> parts;  // R x (N, H)
  };
  struct Outputs {
    TensorView out;                                                                                            // (L, H)
  };
  struct Points {
    Round sum;
  };
  static constexpr auto params() {
    return std::tuple{param("order", &Params::order, among(0, 1, 2, 3)),
                      param("first_row", &Params::first_row, among(0, 1))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("parts", &Inputs::parts, "N,H").of(Contents::values, "2S,H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "N,H").of(Contents::values, "S,H")}; }
  static constexpr auto points() { return std::tuple{point("sum", &Points::sum, Precision::working)}; }
};

}  // namespace parity

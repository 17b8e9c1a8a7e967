// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/experts/moe_experts_preweighted.hpp"

#include "reference/activation/swiglu_formula.hpp"
#include "reference/experts/expert_slots.hpp"
#include "reference/support.hpp"
#include "reference/vision/grid.hpp"

namespace parity::reference {

constexpr int64_t kNobody = -1;

/// The chosen expert ids; -1 for padding tokens and for ids outside of this process's experts.
Tensor real_choices(const MoeExpertsPreweighted::Inputs& in, const MoeExpertsPreweighted::Params& params) {
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  const int64_t last = params.experts == 0 ? in.gate_up->size() : params.first_expert + params.experts;
  Tensor result(DType::i64, {indices.extent[0], indices.extent[1]});
  const auto real = result.view().as<int64_t, 2>();                                                            // (N, T)
  for (int64_t n = 0; n < indices.extent[0]; ++n) {
    const bool padding = !in.token_mask.empty() && in.token_mask.as<int64_t, 1>()(n) == 0;
    for (int64_t t = 0; t < indices.extent[1]; ++t) {
      const bool known = indices(n, t) >= params.first_expert && indices(n, t) < std::min(last, in.gate_up->size());
      real(n, t) = padding || !known ? kNobody : indices(n, t);
    }
  }
  return result;
}

/// weight swiglu(gate_up(x)) for the given slots.
template <class Num>
Grid<Num> weighted_activations(const Grid<Num>& rows, const std::vector<Slot>& slots, const Span<double, 2>& weights,
                               const ConstMatrix& gate_up, const MoeExpertsPreweighted::Params& params,
                               const MoeExpertsPreweighted::Points& round) {
  const Grid<Num> hidden = product(rows, gate_up, round.sum, round.gate_up);  // (n, 2F)
  const int64_t width = gate_up.rows() / 2;
  Grid<Num> result(rows.value.rows(), width);  // (n, F)
  for (int64_t i = 0; i < rows.value.rows(); ++i) {
    const auto [n, t] = slots[static_cast<size_t>(i)];
    for (int64_t f = 0; f < width; ++f) {
      const Num value = round.product(swiglu_formula(hidden.at(i, f), hidden.at(i, width + f), params, round));
      result.set(i, f, round.activation(round.weighted(value * Num(weights(n, t)))));
    }
  }
  return result;
}

template <class Num>
void moe_experts_preweighted(const MoeExpertsPreweighted::Inputs& in, const MoeExpertsPreweighted::Params& params,
                             const MoeExpertsPreweighted::Outputs& out, Context& context) {
  const auto round = points_of<MoeExpertsPreweighted>(context);
  const auto x = matrix(in.x.as<double, 2>());                                                                 // (N, H)
  const auto weights = in.weights.as<double, 2>();                                                             // (N, T)
  const Sink<Num, 2> total(out.sum, context);                                                                  // (N, H)
  const SlotSinks<Num, MoeExpertsPreweighted> sinks(out, context);
  const auto indices = real_choices(in, params);                                                               // (N, T)
  std::vector<Sum<Num>> sums(static_cast<size_t>(x.rows() * x.cols()), Sum<Num>(round.total));
  for (int64_t e = -1; e < in.gate_up->size(); ++e) {
    const auto routed = slots_of(indices.view().as<int64_t, 2>(), e);
    if (e < 0) {
      sinks.clear(routed);
      continue;
    }
    if (routed.empty()) continue;
    const Tensor gate_up = in.gate_up->member(e);
    const Tensor down = in.down->member(e);
    for (const auto& slots : tiles_of(routed)) {
      const Grid<Num> active = weighted_activations<Num>(rows_of<Num>(x, slots), slots, weights,
                                                         matrix(gate_up.view().as<double, 2>()), params, round);
      const Grid<Num> result = product(active, matrix(down.view().as<double, 2>()), round.sum, round.down);
      sinks.set(active, result, slots);
      for (size_t i = 0; i < slots.size(); ++i) {
        for (int64_t h = 0; h < x.cols(); ++h)
          sums[static_cast<size_t>(slots[i].token * x.cols() + h)].add(result.at(static_cast<int64_t>(i), h));
      }
    }
  }
  for (int64_t n = 0; n < x.rows(); ++n) {
    for (int64_t h = 0; h < x.cols(); ++h) total.set(sums[static_cast<size_t>(n * x.cols() + h)].value(), n, h);
  }
}

PARITY_REFERENCE(MoeExpertsPreweighted, moe_experts_preweighted)

}  // namespace parity::reference

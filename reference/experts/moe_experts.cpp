// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/experts/moe_experts.hpp"

#include "reference/activation/swiglu_formula.hpp"
#include "reference/experts/expert_slots.hpp"
#include "reference/support.hpp"
#include "reference/vision/grid.hpp"

namespace parity::reference {

/// swiglu(gate_up(x)) for the given rows, rounded at the points.
template <class Num>
Grid<Num> activations(const Grid<Num>& rows, const ConstMatrix& gate_up, const MoeExperts::Params& params,
                      const MoeExperts::Points& round) {
  const Grid<Num> hidden = product(rows, gate_up, round.sum, round.gate_up);  // (n, 2F)
  const int64_t width = gate_up.rows() / 2;
  Grid<Num> result(rows.value.rows(), width);  // (n, F)
  for_each_row(rows.value.rows(), width, [&](int64_t i) {
    for (int64_t f = 0; f < width; ++f) {
      const Num value = swiglu_formula(hidden.at(i, f), hidden.at(i, width + f), params, round);
      result.set(i, f, round.activation(value));
    }
  });
  return result;
}

/// Adds weighted rows to their tokens. The first addend of a token is added to 0, which rounds nothing.
template <class Num>
void accumulate(const Grid<Num>& down, const std::vector<Slot>& slots, const Span<double, 2>& weights,
                const MoeExperts::Points& round, std::vector<bool>& touched, const Sink<Num, 2>& total,
                const SlotSinks<Num, MoeExperts>& sinks) {
  std::vector<bool> first;
  for (const Slot& slot : slots) {
    first.push_back(!touched[static_cast<size_t>(slot.token)]);
    touched[static_cast<size_t>(slot.token)] = true;
  }
  constexpr int64_t kChannels = 512;  // in parallel; rows are not, as a hostile recording may repeat an expert
  const int64_t width = down.value.cols();
  for_each_row((width + kChannels - 1) / kChannels, kChannels * down.value.rows(), [&](int64_t block) {
    for (size_t i = 0; i < slots.size(); ++i) {
      const int64_t n = slots[i].token, t = slots[i].slot;
      for (int64_t h = block * kChannels; h < std::min((block + 1) * kChannels, width); ++h) {
        const Num weighted = round.weighted(down.at(static_cast<int64_t>(i), h) * Num(weights(n, t)));
        if (sinks.weighted) sinks.weighted->set(weighted, n, t, h);
        const Num addend = round.addend(weighted);
        total.set(first[i] ? addend : round.out(total.get(n, h) + addend), n, h);
      }
    }
  });
}

template <class Num>
void moe_experts(const MoeExperts::Inputs& in, const MoeExperts::Params& params, const MoeExperts::Outputs& out,
                 Context& context) {
  const auto round = points_of<MoeExperts>(context);
  const auto x = matrix(in.x.as<double, 2>());                                                                 // (N, H)
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  const auto weights = in.weights.as<double, 2>();                                                             // (N, T)
  const Sink<Num, 2> total(out.out, context);                                                                  // (N, H)
  const SlotSinks<Num, MoeExperts> sinks(out, context);
  std::vector<bool> touched(static_cast<size_t>(x.rows()), false);
  for (int64_t n = 0; n < x.rows(); ++n) {
    for (int64_t h = 0; h < x.cols(); ++h) total.set(Num(0.0), n, h);
  }
  for (int64_t e = 0; e < in.gate_up->size(); ++e) {
    const auto routed = slots_of(indices, e);
    if (routed.empty()) continue;
    const Tensor gate_up = in.gate_up->member(e);
    const Tensor down = in.down->member(e);
    for (const auto& slots : tiles_of(routed)) {
      const Grid<Num> rows = rows_of<Num>(x, slots);
      const Grid<Num> active = activations(rows, matrix(gate_up.view().as<double, 2>()), params, round);
      for (size_t i = 0; sinks.activation && i < slots.size(); ++i) {
        for (int64_t f = 0; f < active.value.cols(); ++f) {
          sinks.activation->set(active.at(static_cast<int64_t>(i), f), slots[i].token, slots[i].slot, f);
        }
      }
      const Grid<Num> result = product(active, matrix(down.view().as<double, 2>()), round.sum, round.down);
      accumulate(result, slots, weights, round, touched, total, sinks);
    }
  }
}

PARITY_REFERENCE(MoeExperts, moe_experts)

}  // namespace parity::reference

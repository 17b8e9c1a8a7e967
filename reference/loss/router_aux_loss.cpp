// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/loss/router_aux_loss.hpp"

#include <cmath>
#include <limits>

#include "reference/router/softmax_row.hpp"
#include "reference/support.hpp"
#include "reference/top_k.hpp"

namespace parity::reference {

/// Experts of one row that an implementation may exchange: their scores are closer to the cut than their errors.
struct Tie {
  std::vector<int64_t> experts;
  int64_t swaps = 0;  // largest number of exchanges
};

/// The tie at the cut between the k chosen experts and the others; without experts when the choice is certain.
Tie tie_of(const std::vector<Bounded>& row, int64_t k) {
  std::vector<double> values;
  for (const Bounded& p : row) values.push_back(p.value);
  const auto order = top_k(values, static_cast<int64_t>(row.size()));
  double lowest = std::numeric_limits<double>::infinity();  // of the chosen ones; highest of the others
  double highest = -lowest;
  for (size_t t = 0; t < order.size(); ++t) {
    const Bounded& p = row[static_cast<size_t>(order[t])];
    if (static_cast<int64_t>(t) < k)
      lowest = std::min(lowest, p.value - p.error());
    else
      highest = std::max(highest, p.value + p.error());
  }
  Tie tie;
  int64_t chosen = 0;
  for (size_t t = 0; t < order.size(); ++t) {
    const Bounded& p = row[static_cast<size_t>(order[t])];
    const bool inside = static_cast<int64_t>(t) < k;
    if (inside ? p.value - p.error() > highest : p.value + p.error() < lowest) continue;
    tie.experts.push_back(order[t]);
    chosen += inside ? 1 : 0;
  }
  tie.swaps = std::min(chosen, static_cast<int64_t>(tie.experts.size()) - chosen);
  return tie;
}

/// Weighted sums over all rows of all layers, and the ties among the rows.
template <class Num>
struct Tally {
  std::vector<Sum<Num>> probability;  // per expert
  std::vector<double> chosen;         // per slot and expert; with pooled slots per expert
  std::vector<Tie> ties;              // closer than their noise after rounding: implementations may differ
  std::vector<Tie> close;             // closer than their error: the oracle may differ from the exact choice
  double weight = 0.0;

  void add(const std::vector<Num>& row, int64_t k, double row_weight, Round point) {
    std::vector<double> values;
    for (const Num& p : row) values.push_back(value_of(p));
    const auto experts = top_k(values, k);
    for (size_t t = 0; t < experts.size(); ++t)
      chosen[(t * row.size() + static_cast<size_t>(experts[t])) % chosen.size()] += row_weight;
    for (size_t e = 0; e < row.size(); ++e) probability[e].add(row[e] * Num(row_weight));
    weight += row_weight;
    if constexpr (std::is_same_v<Num, Bounded>) {
      if (row_weight == 0.0) return;
      point.active = true;
      std::vector<Bounded> rounded;
      for (const Bounded& p : row) rounded.emplace_back(point(p.value), 0.0, p.noise);
      if (Tie tie = tie_of(rounded, k); tie.swaps > 0) ties.push_back(std::move(tie));
      if (Tie tie = tie_of(row, k); tie.swaps > 0) close.push_back(std::move(tie));
    }
  }
};

/// Sum over the rows of a T matrix, in binary32 as a rule. Some recordings of correct bf16 models contain sums that
/// were rounded to T on the way (partial sums of 16 rows reproduce one of five; the others are unexplained). So a few
/// roundings of the sum to T count as noise.
template <class Num>
Num column_sum(const Sum<Num>& sum, const Round& point) {
  Num result = point(sum.value());
  if constexpr (std::is_same_v<Num, Bounded>) {
    constexpr double kOnTheWay = 4.0;
    if (point.precision == Precision::working)
      result.noise += kOnTheWay * unit_roundoff(point.working) * std::abs(result.value);
  }
  return result;
}

template <class Num>
void router_aux_loss(const RouterAuxLoss::Inputs& in, const RouterAuxLoss::Params& params,
                     const RouterAuxLoss::Outputs& out, Context& context) {
  const auto round = points_of<RouterAuxLoss>(context);
  PARITY_CHECK(params.top_k > 0, usage, "top_k is {}; 1 or more is needed", params.top_k);
  const auto mask = in.mask.as<int64_t, 2>();                                                                  // (B, K)
  const int64_t experts = in.logits.front().shape.back();
  Tally<Num> tally{std::vector<Sum<Num>>(static_cast<size_t>(experts), Sum<Num>(round.sum)),
                   std::vector<double>(static_cast<size_t>(params.pooled_slots ? experts : params.top_k * experts)),
                   {},
                   {},
                   0.0};
  for (const TensorView& layer : in.logits) {
    const auto logits = layer.as<double, 2>();                                                                 // (N, E)
    const int64_t tokens = logits.extent[0] / mask.extent[0];
    for (int64_t n = 0; n < logits.extent[0]; ++n) {
      const int64_t slot = mask.extent[1] - tokens + n % tokens;
      tally.add(softmax_row<Num>(logits, n, {round.exponential, round.total, round.probability}), params.top_k,
                static_cast<double>(mask(n / tokens, slot)), round.probability);
    }
  }
  std::vector<Num> mean;
  Sum<Num> total(round.out);
  for (size_t e = 0; e < static_cast<size_t>(experts); ++e) {
    mean.push_back(round.mean(column_sum(tally.probability[e], round.column) / Num(tally.weight)));
    for (size_t i = e; i < tally.chosen.size(); i += static_cast<size_t>(experts))
      total.add(mean.back() * round.share(Num(tally.chosen[i] / tally.weight)));
  }
  Num loss = round.out(total.value() * Num(static_cast<double>(experts)));
  if constexpr (std::is_same_v<Num, Bounded>) {
    const auto gap = [&](const Tie& tie) {  // the loss changes if an implementation chose other experts
      double lowest = std::numeric_limits<double>::infinity();
      double highest = -lowest;
      for (const int64_t e : tie.experts) {
        const Bounded& p = mean[static_cast<size_t>(e)];
        lowest = std::min(lowest, p.value - p.error());
        highest = std::max(highest, p.value + p.error());
      }
      return static_cast<double>(experts * tie.swaps) * (highest - lowest) / tally.weight;
    };
    for (const Tie& tie : tally.ties) loss.noise += gap(tie);
    for (const Tie& tie : tally.close) loss.rounding += gap(tie);
  }
  const Sink<Num, 0> y(out.loss, context);                                                                         // ()
  y.set(loss);
}

PARITY_REFERENCE(RouterAuxLoss, router_aux_loss)

}  // namespace parity::reference

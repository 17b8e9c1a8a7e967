// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/router_aux_loss.hpp"

#include <limits>

#include "reference/top_k.hpp"
#include "reference/support.hpp"

namespace parity::reference {

/// Softmax of one row in the logits' own type.
template <class Num>
std::vector<Num> probabilities(const Span<double, 2>& logits, int64_t n, const RouterAuxLoss::Points& round) {
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t e = 0; e < logits.extent[1]; ++e) largest = std::max(largest, logits(n, e));
  std::vector<Num> result;
  Sum<Num> total(round.total);
  for (int64_t e = 0; e < logits.extent[1]; ++e) {
    result.push_back(round.exponential(exponential(Num(logits(n, e) - largest))));
    total.add(result.back());
  }
  for (Num& value : result) value = round.probability(value / total.value());
  return result;
}

/// Weighted sums over all rows of all layers.
template <class Num>
struct Tally {
  std::vector<Sum<Num>> probability;             // per expert
  std::vector<double> chosen;                    // per expert, slots added up
  std::vector<std::pair<int64_t, int64_t>> ties; // last chosen and first left out, closer than their error
  double weight = 0.0;

  void add(const std::vector<Num>& row, int64_t k, double row_weight) {
    std::vector<double> values;
    for (const Num& p : row) values.push_back(value_of(p));
    const auto order = top_k(values, k + 1);
    for (size_t t = 0; t < static_cast<size_t>(std::min<int64_t>(k, static_cast<int64_t>(order.size()))); ++t) {
      chosen[static_cast<size_t>(order[t])] += row_weight;
    }
    for (size_t e = 0; e < row.size(); ++e) probability[e].add(row[e] * Num(row_weight));
    weight += row_weight;
    if (static_cast<int64_t>(order.size()) <= k || row_weight == 0.0) return;
    const Num& last = row[static_cast<size_t>(order[static_cast<size_t>(k - 1)])];
    const Num& next = row[static_cast<size_t>(order[static_cast<size_t>(k)])];
    if constexpr (std::is_same_v<Num, Bounded>) {
      if (last.value - next.value <= last.error() + next.error()) {
        ties.emplace_back(order[static_cast<size_t>(k - 1)], order[static_cast<size_t>(k)]);
      }
    }
  }
};

template <class Num>
void router_aux_loss(const RouterAuxLoss::Inputs& in, const RouterAuxLoss::Params& params, const RouterAuxLoss::Outputs& out,
                     Context& context) {
  const auto round = points_of<RouterAuxLoss>(context);
  const auto mask = in.mask.as<int64_t, 2>();  // (B, K)
  const int64_t experts = in.logits.front().shape.back();
  Tally<Num> tally{std::vector<Sum<Num>>(static_cast<size_t>(experts), Sum<Num>(round.column)),
                   std::vector<double>(static_cast<size_t>(experts), 0.0), {}, 0.0};
  for (const TensorView& layer : in.logits) {
    const auto logits = layer.as<double, 2>();  // (N, E)
    const int64_t tokens = logits.extent[0] / mask.extent[0];
    for (int64_t n = 0; n < logits.extent[0]; ++n) {
      const int64_t slot = mask.extent[1] - tokens + n % tokens;
      tally.add(probabilities<Num>(logits, n, round), params.top_k, static_cast<double>(mask(n / tokens, slot)));
    }
  }
  std::vector<Num> mean;
  Sum<Num> total(round.out);
  for (size_t e = 0; e < static_cast<size_t>(experts); ++e) {
    mean.push_back(round.mean(round.column(tally.probability[e].value()) / Num(tally.weight)));
    total.add(mean.back() * Num(tally.chosen[e] / tally.weight));
  }
  Num loss = round.out(total.value() * Num(static_cast<double>(experts)));
  if constexpr (std::is_same_v<Num, Bounded>) {
    for (const auto& [a, b] : tally.ties) {  // an implementation may have chosen the other one
      const double gap = std::abs(mean[static_cast<size_t>(a)].value - mean[static_cast<size_t>(b)].value);
      loss.noise += static_cast<double>(experts) * gap / tally.weight;
    }
  }
  const Sink<Num, 0> y(out.loss, context);  // ()
  y.set(loss);
}

PARITY_REFERENCE(RouterAuxLoss, router_aux_loss)

}  // namespace parity::reference

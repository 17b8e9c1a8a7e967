// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/loss/router_balance_loss.hpp"

#include <optional>
#include <vector>

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void router_balance_loss(const RouterBalanceLoss::Inputs& in, const RouterBalanceLoss::Params& params,
                         const RouterBalanceLoss::Outputs& out, Context& context) {
  const auto round = points_of<RouterBalanceLoss>(context);
  const auto scores = in.scores.as<double, 2>();                                                               // (N, E)
  const auto load = in.load.as<int64_t, 1>();                                                                     // (E)
  std::optional<Span<int64_t, 1>> real;                                                                           // (N)
  if (!in.token_mask.empty()) real = in.token_mask.as<int64_t, 1>();
  const int64_t experts = scores.extent[1];
  std::vector<Sum<Num>> columns(static_cast<size_t>(experts), Sum<Num>(round.column));
  double tokens = 0.0;
  for (int64_t n = 0; n < scores.extent[0]; ++n) {
    if (real && (*real)(n) == 0) continue;
    tokens += 1.0;
    Sum<Num> total(round.total);
    for (int64_t e = 0; e < experts; ++e) total.add(Num(scores(n, e)));
    const Num sum = total.value() + Num(params.eps);
    for (int64_t e = 0; e < experts; ++e)
      columns[static_cast<size_t>(e)].add(round.share(round.quotient(Num(scores(n, e)) / sum)));
  }
  Sum<Num> loss(round.out);
  for (int64_t e = 0; e < experts; ++e) {
    const double fair = tokens * static_cast<double>(params.top_k);
    const Num share = round.mean(columns[static_cast<size_t>(e)].value() / Num(tokens));
    loss.add(round.load(Num(static_cast<double>(load(e) * experts)) / Num(fair)) * share);
  }
  const Sink<Num, 0> y(out.loss, context);                                                                         // ()
  y.set(loss.value());
}

PARITY_REFERENCE(RouterBalanceLoss, router_balance_loss)

}  // namespace parity::reference

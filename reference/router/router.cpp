// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/router/router.hpp"

#include <algorithm>

#include "reference/experts/chosen_experts.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void router(const Router::Inputs& in, const Router::Params& params, const Router::Outputs& out, Context& context) {
  const auto round = points_of<Router>(context);
  const auto logits = in.logits.as<double, 2>();                                                               // (N, E)
  const auto bias = in.bias.as<double, 1>();                                                                      // (E)
  const Sink<Num, 2> scores(out.scores, context);                                                              // (N, E)
  const Sink<Num, 2> choices(out.choice, context);                                                             // (N, E)
  const auto indices = out.indices.as<int64_t, 2>();                                                           // (N, T)
  const Sink<Num, 2> weights(out.weights, context);                                                            // (N, T)
  const int64_t experts = logits.extent[1];
  PARITY_CHECK(!in.forced.empty() || std::clamp<int64_t>(params.top_k, 0, experts) == indices.extent[1], schema,
               "{} of {} experts are chosen, but the output has {} slots", params.top_k, experts, indices.extent[1]);
  for (int64_t n = 0; n < logits.extent[0]; ++n) {
    std::vector<Num> score;
    std::vector<Num> choice;
    for (int64_t e = 0; e < experts; ++e) {
      score.push_back(round.score(logistic(Num(logits(n, e)))));
      choice.push_back(round.choice(score.back() + Num(bias(e))));
      scores.set(score.back(), n, e);
      choices.set(choice.back(), n, e);
    }
    const auto chosen = chosen_experts(in.forced, n, choice, params.top_k);
    const auto score_of = [&](int64_t e) { return e >= 0 && e < experts ? score[static_cast<size_t>(e)] : Num(0.0); };
    Sum<Num> total(round.total);
    for (const int64_t e : chosen) total.add(score_of(e));
    const Num sum = total.value() + Num(params.eps);
    for (size_t t = 0; t < chosen.size(); ++t) {
      indices(n, static_cast<int64_t>(t)) = chosen[t];
      const Num weight = round.weight(score_of(chosen[t]) / sum);
      const Num factor = constant<Num>(params.scaling, round.constant);
      weights.set(params.scaling == 1.0 ? weight : round.scaled(weight * factor), n, static_cast<int64_t>(t));
    }
  }
}

PARITY_REFERENCE(Router, router)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/router/softmax_router.hpp"

#include <algorithm>

#include "reference/experts/chosen_experts.hpp"
#include "reference/router/softmax_row.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void softmax_router(const SoftmaxRouter::Inputs& in, const SoftmaxRouter::Params& params,
                    const SoftmaxRouter::Outputs& out, Context& context) {
  const auto round = points_of<SoftmaxRouter>(context);
  const auto logits = in.logits.as<double, 2>();                                                               // (N, E)
  const Sink<Num, 2> scores(out.scores, context);                                                              // (N, E)
  const auto indices = out.indices.as<int64_t, 2>();                                                           // (N, T)
  const Sink<Num, 2> weights(out.weights, context);                                                            // (N, T)
  const int64_t experts = logits.extent[1];
  PARITY_CHECK(!in.forced.empty() || std::clamp<int64_t>(params.top_k, 0, experts) == indices.extent[1], schema,
               "{} of {} experts are chosen, but the output has {} slots", params.top_k, experts, indices.extent[1]);
  for (int64_t n = 0; n < logits.extent[0]; ++n) {
    const std::vector<Num> score = softmax_row<Num>(logits, n, {round.exponential, round.sum, round.score});
    for (int64_t e = 0; e < experts; ++e) scores.set(score[static_cast<size_t>(e)], n, e);
    const auto chosen = chosen_experts(in.forced, n, score, params.top_k);
    const auto score_of = [&](int64_t e) { return e >= 0 && e < experts ? score[static_cast<size_t>(e)] : Num(0.0); };
    Sum<Num> total(round.total);
    for (const int64_t e : chosen) total.add(score_of(e));
    for (size_t t = 0; t < chosen.size(); ++t) {
      indices(n, static_cast<int64_t>(t)) = chosen[t];
      weights.set(round.out(round.weight(score_of(chosen[t]) / total.value())), n, static_cast<int64_t>(t));
    }
  }
}

PARITY_REFERENCE(SoftmaxRouter, softmax_router)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routers with another model's scores, choice or weights.

#include "core/components/router/router.hpp"

#include "faults/mutants/mutants.hpp"
#include "reference/experts/chosen_experts.hpp"

namespace parity::faults {
namespace {

struct RouterMistaken : Router {
  static constexpr ComponentText text{"router_mistaken", "scores, choice or weights of another model's router",
                                      "faults/mutants/router.cpp"};
  struct Params : Router::Params {
    bool softmax = false;         // one softmax over all experts instead of a sigmoid for each
    bool biased_weights = false;  // the weights are the scores of the choice
    bool normalised = true;       // the weights are divided by their sum
    bool over_all = false;        // they are divided by the sum over all experts
    int64_t groups = 1;           // experts are chosen only from the first of this number of groups
    bool smallest = false;
  };
  static constexpr auto params() {
    return std::tuple_cat(
        Router::params(),
        std::tuple{param("softmax", &Params::softmax), param("biased_weights", &Params::biased_weights),
                   param("normalised", &Params::normalised), param("over_all", &Params::over_all),
                   param("groups", &Params::groups), param("smallest", &Params::smallest)});
  }
};

template <class Num>
std::vector<Num> scores_of(const Span<double, 2>& logits, int64_t n, bool softmax, const Router::Points& round) {
  std::vector<Num> scores;
  Sum<Num> total(round.total);
  for (int64_t e = 0; e < logits.extent[1]; ++e) {
    const Num logit(logits(n, e));
    scores.push_back(round.score(softmax ? exponential(logit) : logistic(logit)));
    total.add(scores.back());
  }
  const Num sum = total.value();
  for (Num& score : scores) {
    if (softmax) score = round.score(score / sum);
  }
  return scores;
}

/// Returns the scores for the choice, with experts of other groups excluded.
template <class Num>
std::vector<Num> asked(std::vector<Num> choice, const RouterMistaken::Params& params) {
  for (size_t e = 0; e < choice.size(); ++e) {
    if (params.smallest) choice[e] = -choice[e];
    if (params.groups > 1 && e >= choice.size() / static_cast<size_t>(params.groups)) choice[e] = Num(-1e9);
  }
  return choice;
}

template <class Num>
void router_mistaken(const Router::Inputs& in, const RouterMistaken::Params& params, const Router::Outputs& out,
                     Context& context) {
  const auto round = points_of<RouterMistaken>(context);
  const auto logits = in.logits.as<double, 2>();                                                               // (N, E)
  const auto bias = in.bias.as<double, 1>();                                                                      // (E)
  const Sink<Num, 2> scores(out.scores, context);                                                              // (N, E)
  const Sink<Num, 2> choices(out.choice, context);                                                             // (N, E)
  const auto indices = out.indices.as<int64_t, 2>();                                                           // (N, T)
  const Sink<Num, 2> weights(out.weights, context);                                                            // (N, T)
  for (int64_t n = 0; n < logits.extent[0]; ++n) {
    const std::vector<Num> score = scores_of<Num>(logits, n, params.softmax, round);
    std::vector<Num> choice;
    for (int64_t e = 0; e < logits.extent[1]; ++e) {
      choice.push_back(round.choice(score[static_cast<size_t>(e)] + Num(bias(e))));
      scores.set(score[static_cast<size_t>(e)], n, e);
      choices.set(choice.back(), n, e);
    }
    const auto chosen = reference::chosen_experts(in.forced, n, asked(choice, params), params.top_k);
    const auto& held = params.biased_weights ? choice : score;
    const auto of = [&](int64_t e) { return e >= 0 && e < logits.extent[1] ? held[static_cast<size_t>(e)] : Num(0.0); };
    Num total(0.0);
    for (const int64_t e : chosen) total = total + of(e);
    if (params.over_all) {
      total = Num(0.0);
      for (const Num& value : held) total = total + value;
    }
    total = round.total(total) + Num(params.eps);
    for (size_t t = 0; t < chosen.size(); ++t) {
      const Num weight = params.normalised ? round.weight(of(chosen[t]) / total) : of(chosen[t]);
      indices(n, static_cast<int64_t>(t)) = chosen[t];
      weights.set(params.scaling == 1.0 ? weight : round.scaled(weight * Num(params.scaling)), n,
                  static_cast<int64_t>(t));
    }
  }
}

}  // namespace

PARITY_REFERENCE(RouterMistaken, router_mistaken)

}  // namespace parity::faults

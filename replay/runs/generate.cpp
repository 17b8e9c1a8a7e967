// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/generate.hpp"

#include <algorithm>
#include <limits>

#include "replay/runs/free_run.hpp"

namespace parity::replay {
namespace {

/// Returns the word with the largest logit after each sequence's last token (B, 1). At ties it is the first.
Tensor most_likely(const TensorView& view, double& smallest_lead) {
  const auto logits = view.as<double, 3>();                                                                 // (B, S, V)
  Tensor words(DType::i64, {logits.extent[0], 1}, "B,S");
  for (int64_t b = 0; b < logits.extent[0]; ++b) {
    int64_t best = 0;
    const auto logit = [&](int64_t v) { return logits(b, logits.extent[1] - 1, v); };
    for (int64_t v = 1; v < logits.extent[2]; ++v) best = logit(v) > logit(best) ? v : best;
    for (int64_t v = 0; v < logits.extent[2]; ++v) {
      if (v != best) smallest_lead = std::min(smallest_lead, logit(best) - logit(v));
    }
    words.i64()[b] = best;
  }
  return words;
}

}  // namespace

Generation generate(const Plan& plan, const Registry& registry, const WeightSource& weights, const Tensor& prompt) {
  FreeRun run(plan, registry, weights);
  const int64_t batch = prompt.shape().front();
  const auto calls = static_cast<int64_t>(plan.sizes.size());
  Generation result{Tensor(DType::i64, {batch, calls}, "B,S"), std::numeric_limits<double>::infinity()};
  Tensor ids = prompt;
  int64_t call = 0;
  for (const auto& [step, sizes] : plan.sizes) {
    static_cast<void>(run.set_tokens(step, ids));
    run.run(step, [&](const Node& node, const Outcome& outcome) {
      if (node.prefix.ends_with("/text/lm_head"))
        ids = most_likely(outcome.outputs.at("out").rounded.view(), result.smallest_lead);
    });
    for (int64_t b = 0; b < batch; ++b) result.tokens.i64()[b * calls + call] = ids.i64()[b];
    ++call;
  }
  return result;
}

}  // namespace parity::replay

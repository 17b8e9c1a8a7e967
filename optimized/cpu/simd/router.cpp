// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/router/router_rows.hpp"
#include "optimized/cpu/simd/functions.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

void score(const RouterRows& r, int64_t n) {
  const float* logits = r.logits + n * r.logit_row;
  float* scores = r.scores + n * r.score_row;
  float* choice = r.choice + n * r.choice_row;
  int64_t e = 0;
  for (; e + kLanes <= r.experts; e += kLanes) {
    const Floats s = logistic(load(logits + e));
    store(scores + e, s);
    store(choice + e, s + load(r.bias + e));
  }
  const int64_t rest = r.experts - e;
  if (rest == 0) return;
  const Floats s = logistic(load_some(logits + e, rest));
  store_some(scores + e, s, rest);
  store_some(choice + e, s + load_some(r.bias + e, rest), rest);
}

/// Whether x counts as more than y; NaN is more than any number.
bool more(float x, float y) { return x != x ? y == y : x > y; }

/// Selects the k largest in descending order, the smaller id at ties.
void choose(const RouterRows& r, const float* choice, int64_t* ids) {
  const int64_t most = r.top_k < r.experts ? r.top_k : r.experts;
  int64_t held = 0;
  for (int64_t e = 0; e < r.experts && most > 0; ++e) {
    if (held == most && !more(choice[e], choice[ids[held - 1]])) continue;
    int64_t at = held < most ? held++ : held - 1;
    for (; at > 0 && more(choice[e], choice[ids[at - 1]]); --at) ids[at] = ids[at - 1];
    ids[at] = e;
  }
}

}  // namespace

void router_rows(const RouterRows& r) {
  for (int64_t n = r.first; n < r.last; ++n) {
    score(r, n);
    const float* scores = r.scores + n * r.score_row;
    int64_t* ids = r.indices + n * r.index_row;
    if (r.forced == nullptr) choose(r, r.choice + n * r.choice_row, ids);
    if (r.forced != nullptr) std::memcpy(ids, r.forced + n * r.forced_row, static_cast<size_t>(r.slots) * sizeof *ids);
    float* weights = r.weights + n * r.weight_row;
    float total = 0.0F;
    for (int64_t t = 0; t < r.slots; ++t) {
      weights[t] = ids[t] >= 0 && ids[t] < r.experts ? scores[ids[t]] : 0.0F;
      total += weights[t];
    }
    total += r.eps;
    for (int64_t t = 0; t < r.slots; ++t) weights[t] = weights[t] / total * r.scaling;
  }
}

}  // namespace parity::cpu::PARITY_LEVEL

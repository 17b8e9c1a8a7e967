// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routers and index selection, which choose by scores, and the loss.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cases/drawn/choices.hpp"
#include "cases/drawn/kernels.hpp"
#include "core/components/index/index_select.hpp"
#include "core/components/loss/cross_entropy.hpp"
#include "core/components/router/router.hpp"
#include "core/components/router/softmax_router.hpp"

namespace parity::cases {
namespace {

/// The experts of a token, and the score of each; an id that no expert has scores 0.
struct Chosen {
  std::vector<int64_t> ids;
  Row scores;
};

Chosen chosen_experts(const TensorView& forced, size_t n, const Row& choice, const Row& score, int64_t top_k) {
  Chosen chosen{{}, {}};
  if (forced.empty()) {
    chosen.ids = largest(choice, top_k);
  } else {
    const auto given = forced.as<int64_t, 2>();                                                                // (N, T)
    for (int64_t t = 0; t < given.extent[1]; ++t) chosen.ids.push_back(given(static_cast<int64_t>(n), t));
  }
  for (const int64_t id : chosen.ids)
    chosen.scores.push_back(id >= 0 && id < std::ssize(score) ? score[static_cast<size_t>(id)] : 0.0F);
  return chosen;
}

void router(const Router::Inputs& in, const Router::Params& params, const Router::Outputs& out,
            const Router::Points& round, const Arithmetic& math) {
  const auto logits = rows_of(in.logits.as<double, 2>());
  const Row bias = values_of(in.bias.as<double, 1>());
  const auto scores = out.scores.as<double, 2>();                                                              // (N, E)
  const auto choices = out.choice.as<double, 2>();                                                             // (N, E)
  const auto indices = out.indices.as<int64_t, 2>();                                                           // (N, T)
  const auto weights = out.weights.as<double, 2>();                                                            // (N, T)
  for (size_t n = 0; n < logits.size(); ++n) {
    Row score, choice;
    for (size_t e = 0; e < bias.size(); ++e) {
      score.push_back(at(round.score, math.logistic(logits[n][e])));
      choice.push_back(at(round.choice, score[e] + bias[e]));
      scores(n, e) = score[e];
      choices(n, e) = choice[e];
    }
    const auto [ids, chosen] = chosen_experts(in.forced, n, choice, score, params.top_k);
    const float total = math.sum(chosen) + static_cast<float>(params.eps);
    for (size_t t = 0; t < ids.size(); ++t) {
      const float weight = at(round.weight, math.quotient(chosen[t], total));
      indices(n, t) = ids[t];
      weights(n, t) = at(round.scaled, weight * static_cast<float>(params.scaling));
    }
  }
}

void softmax_router(const SoftmaxRouter::Inputs& in, const SoftmaxRouter::Params& params,
                    const SoftmaxRouter::Outputs& out, const SoftmaxRouter::Points& round, const Arithmetic& math) {
  const auto logits = rows_of(in.logits.as<double, 2>());
  const auto scores = out.scores.as<double, 2>();                                                              // (N, E)
  const auto indices = out.indices.as<int64_t, 2>();                                                           // (N, T)
  const auto weights = out.weights.as<double, 2>();                                                            // (N, T)
  for (size_t n = 0; n < logits.size(); ++n) {
    auto [score, sum] = exponentials(logits[n], math);
    for (size_t e = 0; e < score.size(); ++e) {
      score[e] = at(round.score, math.quotient(score[e], sum));
      scores(n, e) = score[e];
    }
    const auto [ids, chosen] = chosen_experts(in.forced, n, score, score, params.top_k);
    const float total = math.sum(chosen);
    for (size_t t = 0; t < ids.size(); ++t) {
      indices(n, t) = ids[t];
      weights(n, t) = at(round.out, at(round.weight, math.quotient(chosen[t], total)));
    }
  }
}

/// Returns the number of blocks that score more than block n, which is its index in the list.
int64_t place_of(const Row& scores, size_t n) {
  const auto more = [](float x, float y) { return std::isnan(x) ? !std::isnan(y) : x > y; };
  int64_t place = 0;
  for (size_t other = 0; other < scores.size(); ++other)
    place += more(scores[other], scores[n]) || (!more(scores[n], scores[other]) && other < n) ? 1 : 0;
  return place;
}

void index_select(const IndexSelect::Inputs& in, const IndexSelect::Params& params, const IndexSelect::Outputs& out,
                  const IndexSelect::Points&, const Arithmetic& math) {
  const auto scores = in.block_scores.as<double, 3>();                                       // (B, S, J) or (B*X, S, J)
  const auto positions = in.positions.as<int64_t, 2>();                                                        // (B, S)
  const auto blocks = out.blocks.as<int64_t, 3>();                                           // (B, S, T) or (B*X, S, T)
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int64_t r = 0; r < scores.extent[0]; ++r) {
    for (int64_t s = 0; s < scores.extent[1]; ++s) {
      const int64_t own = positions(r / (scores.extent[0] / positions.extent[0]), s) / params.block_size;
      Row row;
      for (int64_t n = 0; n < scores.extent[2]; ++n) {
        const bool forced = n <= own && (n < params.init_blocks || n > own - params.local_blocks);
        row.push_back(forced ? kInfinity : static_cast<float>(scores(r, s, n)));
        if (!out.forced_scores.empty()) out.forced_scores.as<double, 3>()(r, s, n) = row.back();
      }
      for (int64_t t = 0; t < blocks.extent[2]; ++t) blocks(r, s, t) = -1;
      for (const int64_t n : math.visits(scores.extent[2])) {
        const int64_t place = place_of(row, static_cast<size_t>(n));
        if (place < blocks.extent[2] && row[static_cast<size_t>(n)] != -kInfinity) blocks(r, s, place) = n;
      }
    }
  }
}

void cross_entropy(const CrossEntropy::Inputs& in, const CrossEntropy::Params& params, const CrossEntropy::Outputs& out,
                   const CrossEntropy::Points& round, const Arithmetic& math) {
  const auto logits = rows_of(in.logits.as<double, 2>());
  const auto labels = in.labels.as<int64_t, 2>();                                                              // (B, S)
  const int64_t tokens = labels.extent[1];
  Row terms;
  for (int64_t b = 0; b < labels.extent[0]; ++b) {
    for (int64_t s = 0; s + params.label_offset < tokens; ++s) {
      const int64_t label = labels(b, s + params.label_offset);
      if (label == kIgnored) continue;
      terms.push_back(label_loss(logits[static_cast<size_t>(b * tokens + s)], label, math));
    }
  }
  const float total = math.sum(terms);
  if (!out.sum.empty()) out.sum.as<double, 0>()() = at(round.mean, total);
  const double count = params.num_items > 0.0 ? params.num_items : static_cast<double>(terms.size());
  float loss = at(round.mean, total / static_cast<float>(count));
  if (!in.aux_loss.empty()) {
    const auto coefficient = static_cast<float>(params.aux_coefficient);
    loss = at(round.out, loss + at(round.out, static_cast<float>(in.aux_loss.value(0)) * coefficient));
  }
  out.loss.as<double, 0>()() = loss;
}

}  // namespace

void add_router_kernels(CorrectKernels& kernels) {
  kernels["router"] = correct_kernel<Router>(router);
  kernels["softmax_router"] = correct_kernel<SoftmaxRouter>(softmax_router);
  kernels["index_select"] = correct_kernel<IndexSelect>(index_select);
  kernels["cross_entropy"] = correct_kernel<CrossEntropy>(cross_entropy);
}

}  // namespace parity::cases

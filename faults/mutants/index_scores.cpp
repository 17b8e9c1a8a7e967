// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Block scores other than the largest score of the block.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "core/components/index/index_block_scores.hpp"
#include "faults/mutants/mutants.hpp"

namespace parity::faults {
namespace {

struct IndexBlockScoresPooled : IndexBlockScores {
  static constexpr ComponentText text{"index_block_scores_pooled", "block score = mean, or log-sum-exp, of its scores",
                                      "faults/mutants/index_scores.cpp"};
  struct Params : IndexBlockScores::Params {
    bool soft = false;       // log of the sum of exponentials instead of the mean
    bool sum_heads = false;  // sums the largest score of each head
    bool shared = false;     // every list has the largest score of all heads
  };
  static constexpr auto params() {
    return std::tuple_cat(IndexBlockScores::params(),
                          std::tuple{param("soft", &Params::soft), param("sum_heads", &Params::sum_heads),
                                     param("shared", &Params::shared)});
  }
};

template <class Num>
Num score_at(const IndexBlockScores::Inputs& in, const std::array<int64_t, 4>& at, double scale,
             const IndexBlockScores::Points& round) {  // b, x, s, j
  const auto q = in.q.as<double, 4>();                                                                   // (B, X, S, I)
  const auto k = in.k.as<double, 4>();                                                                   // (B, 1, K, I)
  Sum<Num> sum(round.dot);
  for (int64_t i = 0; i < q.extent[3]; ++i) sum.add_product(q(at[0], at[1], at[2], i), k(at[0], 0, at[3], i));
  return sum.value() * Num(scale);
}

/// Reduces the scores of one head in one block to one number.
template <class Num>
Num pooled(const std::vector<Num>& scores, const IndexBlockScoresPooled::Params& params, const Round& point) {
  if (params.sum_heads || params.shared)
    return *std::max_element(scores.begin(), scores.end(),
                             [](const Num& a, const Num& b) { return value_of(a) < value_of(b); });
  Sum<Num> total(point);
  for (const Num& score : scores) total.add(params.soft ? exponential(score) : score);
  return params.soft ? logarithm(total.value()) : total.value() / Num(static_cast<double>(scores.size()));
}

template <class Num>
void index_block_scores_pooled(const IndexBlockScores::Inputs& in, const IndexBlockScoresPooled::Params& params,
                               const IndexBlockScores::Outputs& out, Context& context) {
  const auto round = points_of<IndexBlockScoresPooled>(context);
  const auto positions = in.positions.as<int64_t, 2>();                                                        // (B, S)
  const Sink<Num, 3> y(out.block_scores, context);                                           // (B, S, J) or (B*X, S, J)
  PARITY_CHECK(params.block_size > 0, usage, "block_size is {}; 1 or more is needed", params.block_size);
  const int64_t batch = in.q.shape[0];
  const int64_t heads = in.q.shape[1];
  const int64_t queries = in.q.shape[2];
  const int64_t slots = in.k.shape[2];
  const int64_t lists = params.per_group ? heads : 1;
  const int64_t blocks = out.block_scores.shape.back();
  for (int64_t row = 0; row < batch * lists * queries * blocks; ++row) {
    const int64_t n = row % blocks;
    const int64_t s = row / blocks % queries;
    const int64_t list = row / blocks / queries;
    const int64_t b = list / lists;
    const bool own = params.per_group && !params.shared;  // a list reads its own head alone
    const int64_t last = std::min({(n + 1) * params.block_size, slots, positions(b, s) + 1});
    std::optional<Num> best;
    for (int64_t x = own ? list % heads : 0; x < (own ? list % heads + 1 : heads); ++x) {
      std::vector<Num> scores;
      for (int64_t j = n * params.block_size; j < last; ++j)
        scores.push_back(score_at<Num>(in, {b, x, s, j}, params.scale, round));
      if (scores.empty()) continue;
      const Num head = pooled(scores, params, round.dot);
      best = !best ? head : params.sum_heads ? *best + head : value_of(*best) < value_of(head) ? head : *best;
    }
    y.set(best ? round.dot(*best) : Num(-std::numeric_limits<double>::infinity()), list, s, n);
  }
  if (out.scores.empty()) return;
  const Sink<Num, 4> scores(out.scores, context);                                                        // (B, X, S, K)
  for (int64_t row = 0; row < batch * heads * queries * slots; ++row) {
    const std::array<int64_t, 4> at{row / slots / queries / heads, row / slots / queries % heads, row / slots % queries,
                                    row % slots};
    scores.set(score_at<Num>(in, at, params.scale, round), at[0], at[1], at[2], at[3]);
  }
}

}  // namespace

PARITY_REFERENCE(IndexBlockScoresPooled, index_block_scores_pooled)

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/index/index_block_scores.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "reference/support.hpp"

namespace parity::reference {

/// Updates a running maximum, with NaN above all numbers (torch.amax). Its error is the largest error among the terms.
template <class Num>
void raise(Num& best, const Num& candidate) {
  const double value =
      std::isnan(value_of(candidate)) ? value_of(candidate) : std::max(value_of(best), value_of(candidate));
  if constexpr (std::is_same_v<Num, Bounded>) {
    best = Bounded(value, 0.0, std::max(best.noise, candidate.noise));
  } else {
    best = value;
  }
}

template <class Num>
Num score_of(const Span<double, 4>& q, const Span<double, 4>& k, std::array<int64_t, 4> at, double scale,
             const IndexBlockScores::Points& round) {  // b, x, s, j
  Sum<Num> sum(round.dot);
  for (int64_t i = 0; i < q.extent[3]; ++i) sum.add_product(q(at[0], at[1], at[2], i), k(at[0], 0, at[3], i));
  return scale == 1.0 ? sum.value() : round.scaled(sum.value() * constant<Num>(scale, round.constant));
}

template <class Num>
void index_block_scores(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                        const IndexBlockScores::Outputs& out, Context& context) {
  const auto round = points_of<IndexBlockScores>(context);
  const auto q = in.q.as<double, 4>();                                                                   // (B, X, S, I)
  const auto k = in.k.as<double, 4>();                                                                   // (B, 1, K, I)
  const auto positions = in.positions.as<int64_t, 2>();                                                        // (B, S)
  std::optional<Sink<Num, 4>> scores;                                                                    // (B, X, S, K)
  if (!out.scores.empty()) scores.emplace(out.scores, context);
  const Sink<Num, 3> pooled(out.block_scores, context);                                      // (B, S, J) or (B*X, S, J)
  const int64_t heads = q.extent[1];
  const int64_t blocks = out.block_scores.shape.back();
  PARITY_CHECK(params.block_size > 0 && (k.extent[2] - 1) / params.block_size < blocks, usage,
               "{} keys in blocks of {} do not make {} blocks", k.extent[2], params.block_size, blocks);
  const int64_t lists = q.extent[0] * (params.per_group ? heads : 1);
  PARITY_CHECK(out.block_scores.count() == lists * q.extent[2] * blocks, schema,
               "block scores have shape {}, but there are {} lists", to_string(out.block_scores.shape), lists);
  const Num nothing(-std::numeric_limits<double>::infinity());
  for (int64_t b = 0; b < q.extent[0]; ++b) {
    for_each_row(q.extent[2], heads * k.extent[2] * q.extent[3], [&](int64_t s) {
      std::vector<Num> best(static_cast<size_t>(blocks), nothing);
      for (int64_t x = 0; x < heads; ++x) {
        for (int64_t j = 0; j < k.extent[2]; ++j) {
          const bool visible = j <= positions(b, s);
          if (!visible && !scores) break;
          const Num score = score_of<Num>(q, k, {b, x, s, j}, params.scale, round);
          if (scores) scores->set(score, b, x, s, j);
          if (visible) raise(best[static_cast<size_t>(j / params.block_size)], score);
        }
        if (!params.per_group && x + 1 < heads) continue;
        for (int64_t n = 0; n < blocks; ++n)
          pooled.set(best[static_cast<size_t>(n)], params.per_group ? b * heads + x : b, s, n);
        best.assign(best.size(), nothing);
      }
    });
  }
}

PARITY_REFERENCE(IndexBlockScores, index_block_scores)

}  // namespace parity::reference

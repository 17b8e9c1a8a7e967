// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention over visible slots, in one piece or streaming over the kernel's tiles, and block scores.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cases/drawn/kernels.hpp"
#include "core/components/attention/attention_block_sparse.hpp"
#include "core/components/attention/attention_dense.hpp"
#include "core/components/index/index_block_scores.hpp"
#include "core/components/vision/vision_attention.hpp"

namespace parity::cases {
namespace {

constexpr float kLeast = -std::numeric_limits<float>::infinity();

Row channels(const Span<double, 4>& x, int64_t b, int64_t a, int64_t s) {
  Row row;
  for (int64_t d = 0; d < x.extent[3]; ++d) row.push_back(static_cast<float>(x(b, a, s, d)));
  return row;
}

/// The data that one query row reads.
struct Query {
  Row q;
  std::vector<Row> keys, values;  // of the visible slots
  bool blind = false;             // no slot is visible: all slots have equal weight
};

template <class Points>
Row scores_of(const Query& query, float scale, const Points& round, const Arithmetic& math) {
  Row scores;
  for (const Row& key : query.keys) {
    const float score = at(round.score, at(round.dot, math.dot(query.q, key)));
    scores.push_back(query.blind ? 0.0F : at(round.scaled, score * scale));
  }
  return scores;
}

/// Returns sum_j weights[j] values[j][d] for each d, summed in the kernel's order.
Row mixture(const Row& weights, const std::vector<Row>& values, size_t first, size_t width, const Arithmetic& math) {
  Row mixed;
  for (size_t d = 0; d < width; ++d) {
    Row column;
    for (size_t j = 0; j < weights.size(); ++j) column.push_back(values[first + j][d]);
    mixed.push_back(math.dot(weights, column));
  }
  return mixed;
}

/// Attention with the softmax divided by its sum before the product with the values.
template <class Points>
Row normalised(const Row& scores, const Query& query, size_t width, const Points& round, const Arithmetic& math) {
  const float largest = *std::max_element(scores.begin(), scores.end());
  Row weights;
  for (const float score : scores) weights.push_back(math.exponential(score - largest));
  const float total = math.sum(weights);
  for (float& weight : weights) weight = at(round.weight, math.quotient(weight, total));
  return mixture(weights, query.values, 0, width, math);
}

/// Attention with a running maximum over tiles, divided by the sum at the end.
template <class Points>
Row streaming(const Row& scores, const Query& query, size_t width, const Points& round, const Arithmetic& math) {
  const auto tile = static_cast<size_t>(math.style().width * 4);
  float largest = kLeast, total = 0.0F;
  Row result(width, 0.0F);
  for (size_t first = 0; first < scores.size(); first += tile) {
    const Row part(scores.begin() + static_cast<std::ptrdiff_t>(first),
                   scores.begin() + static_cast<std::ptrdiff_t>(std::min(first + tile, scores.size())));
    const float now = std::max(largest, *std::max_element(part.begin(), part.end()));
    const float shrink = math.exponential(largest - now);
    Row weights;
    for (const float score : part) weights.push_back(math.exponential(score - now));
    total = math.multiply_add(total, shrink, math.sum(weights));
    for (float& weight : weights) weight = at(round.weight, weight);
    const Row mixed = mixture(weights, query.values, first, width, math);
    for (size_t d = 0; d < width; ++d) result[d] = math.multiply_add(result[d], shrink, mixed[d]);
    largest = now;
  }
  for (float& value : result) value = math.quotient(value, total);
  return result;
}

/// Computes attention. `slots(b, a, s)` returns the slots that a query sees.
template <class C, class Slots>
void attend(const typename C::Inputs& in, const typename C::Params& params, const typename C::Outputs& out,
            const typename C::Points& round, const Arithmetic& math, const Slots& slots) {
  const auto q = in.q.template as<double, 4>();                                                          // (B, A, S, D)
  const auto k = in.k.template as<double, 4>();                                                          // (B, G, K, D)
  const auto v = in.v.template as<double, 4>();                                                          // (B, G, K, D)
  const auto y = out.out.template as<double, 4>();                                                       // (B, S, A, D)
  const auto width = static_cast<size_t>(v.extent[3]);
  const int64_t group = q.extent[1] / k.extent[1];
  for (int64_t b = 0; b < q.extent[0]; ++b) {
    for (int64_t a = 0; a < q.extent[1]; ++a) {
      for (int64_t s = 0; s < q.extent[2]; ++s) {
        std::vector<int64_t> seen = slots(b, a, s);
        Query query{channels(q, b, a, s), {}, {}, seen.empty()};
        if (query.blind) seen = math.visits(k.extent[2]);
        for (const int64_t j : seen) query.keys.push_back(channels(k, b, a / group, j));
        for (const int64_t j : seen) query.values.push_back(channels(v, b, a / group, j));
        const Row scores = scores_of(query, static_cast<float>(params.scale), round, math);
        Row row = params.normalise_first ? normalised(scores, query, width, round, math)
                                         : streaming(scores, query, width, round, math);
        if constexpr (requires { params.zero_blind_rows; }) {
          if (query.blind && params.zero_blind_rows) row.assign(width, 0.0F);
        }
        for (size_t d = 0; d < width; ++d) y(b, s, a, d) = at(round.out, row[d]);
      }
    }
  }
}

/// Returns the slots that a causal query sees, where no lists of blocks hide any, and its own slot.
template <class Inputs, class Params>
std::pair<std::vector<int64_t>, int64_t> past_of(const Inputs& in, const Params& params, int64_t b, int64_t s) {
  int64_t own = s + (params.query_slot < 0 ? in.k.shape[2] - in.q.shape[2] : params.query_slot);
  if constexpr (requires { in.positions; }) {
    if (!in.positions.empty()) own = in.positions.template as<int64_t, 2>()(b, s);
  }
  const auto hidden = [&](int64_t j) {
    if constexpr (requires { in.pairs; }) {
      if (!in.pairs.empty() && in.pairs.template as<int64_t, 3>()(b, s, j) == 0) return true;
    }
    int64_t masking = j;
    if constexpr (requires { params.first_slot_masks; }) masking = params.first_slot_masks ? 0 : j;
    return !in.mask.empty() && in.mask.template as<int64_t, 2>()(b, masking) == 0;
  };
  std::vector<int64_t> slots;
  for (int64_t j = 0; j <= own; ++j) {
    if (!hidden(j)) slots.push_back(j);
  }
  return {slots, own};
}

void attention_dense(const AttentionDense::Inputs& in, const AttentionDense::Params& params,
                     const AttentionDense::Outputs& out, const AttentionDense::Points& round, const Arithmetic& math) {
  attend<AttentionDense>(in, params, out, round, math,
                         [&](int64_t b, int64_t, int64_t s) { return past_of(in, params, b, s).first; });
}

void attention_block_sparse(const AttentionBlockSparse::Inputs& in, const AttentionBlockSparse::Params& params,
                            const AttentionBlockSparse::Outputs& out, const AttentionBlockSparse::Points& round,
                            const Arithmetic& math) {
  const auto lists = in.blocks.as<int64_t, 3>();                                             // (B, S, T) or (B*X, S, T)
  const int64_t per_row = lists.extent[0] / in.q.shape[0];
  const int64_t heads = in.q.shape[1];
  attend<AttentionBlockSparse>(in, params, out, round, math, [&](int64_t b, int64_t a, int64_t s) {
    std::vector<int64_t> slots;
    const auto [past, own] = past_of(in, params, b, s);
    for (const int64_t j : past) {
      bool kept = false;
      for (int64_t t = 0; t < lists.extent[2]; ++t)
        kept = kept || lists(b * per_row + a / (heads / per_row), s, t) == j / params.block_size;
      if (kept) slots.push_back(j);
    }
    const bool sees_itself = !slots.empty() && slots.back() == own;
    if (params.self_visible && !sees_itself) slots.push_back(own);
    return slots;
  });
}

void vision_attention(const VisionAttention::Inputs& in, const VisionAttention::Params& params,
                      const VisionAttention::Outputs& out, const VisionAttention::Points& round,
                      const Arithmetic& math) {
  const auto grid = in.grid.as<int64_t, 2>();                                                                  // (M, 3)
  const int64_t patches = in.q.shape[2];
  std::vector<int64_t> medium_of;
  for (int64_t m = 0; m < grid.extent[0]; ++m) {
    medium_of.insert(medium_of.end(), static_cast<size_t>(grid(m, 0) * grid(m, 1) * grid(m, 2)), m);
  }
  attend<VisionAttention>(in, params, out, round, math, [&](int64_t, int64_t, int64_t p) {
    std::vector<int64_t> slots;
    for (int64_t j = 0; j < patches; ++j) {
      if (!params.per_medium || medium_of[static_cast<size_t>(j)] == medium_of[static_cast<size_t>(p)])
        slots.push_back(j);
    }
    return slots;
  });
}

void index_block_scores(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                        const IndexBlockScores::Outputs& out, const IndexBlockScores::Points& round,
                        const Arithmetic& math) {
  const auto q = in.q.as<double, 4>();                                                                   // (B, X, S, I)
  const auto k = in.k.as<double, 4>();                                                                   // (B, 1, K, I)
  const auto positions = in.positions.as<int64_t, 2>();                                                        // (B, S)
  const auto pooled = out.block_scores.as<double, 3>();                                      // (B, S, J) or (B*X, S, J)
  const bool asked = !out.scores.empty();
  std::fill_n(pooled.data, out.block_scores.count(), kLeast);
  for (int64_t b = 0; b < q.extent[0]; ++b) {
    for (int64_t x = 0; x < q.extent[1]; ++x) {
      for (int64_t s = 0; s < q.extent[2]; ++s) {
        const Row query = channels(q, b, x, s);
        for (int64_t j = 0; j <= (asked ? k.extent[2] - 1 : std::min(positions(b, s), k.extent[2] - 1)); ++j) {
          const float dot = at(round.dot, math.dot(query, channels(k, b, 0, j)));
          const float score = params.scale == 1.0 ? dot : at(round.scaled, dot * static_cast<float>(params.scale));
          if (asked) out.scores.as<double, 4>()(b, x, s, j) = score;
          if (j > positions(b, s)) continue;
          double& best = pooled(params.per_group ? b * q.extent[1] + x : b, s, j / params.block_size);
          if (!(best >= score) && !std::isnan(best)) best = score;  // keeps NaN, as torch.amax does
        }
      }
    }
  }
}

}  // namespace

void add_attention_kernels(CorrectKernels& kernels) {
  kernels["attention_dense"] = correct_kernel<AttentionDense>(attention_dense);
  kernels["attention_block_sparse"] = correct_kernel<AttentionBlockSparse>(attention_block_sparse);
  kernels["vision_attention"] = correct_kernel<VisionAttention>(vision_attention);
  kernels["index_block_scores"] = correct_kernel<IndexBlockScores>(index_block_scores);
}

}  // namespace parity::cases

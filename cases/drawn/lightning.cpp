// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Linear attention with decay: blocks of a prefill, or single tokens after a state.

#include <algorithm>
#include <cmath>

#include "cases/drawn/kernels.hpp"
#include "core/components/lightning/lightning_attention.hpp"

namespace parity::cases {
namespace {

/// Data of one head of one sequence.
struct LightningHead {
  const LightningAttention::Points& round;
  const Arithmetic& math;
  std::vector<Row> q, k, v;                                                                                    // (S, D)
  Row query_decay, key_decay;                                                                                     // (Q)
  std::vector<Row> diagonal_decay;                                                                             // (Q, Q)
  float slope = 0.0F;
  std::vector<Row> state;                                                                       // (D, D), keys x values
  std::vector<Row> out;                                                                                        // (S, D)
  std::vector<std::vector<Row>> states;        // before the first block or token, and after each
  std::vector<std::pair<float, float>> terms;  // of `out`, within blocks and from the state before them: S D

  [[nodiscard]] size_t width() const { return state.size(); }

  [[nodiscard]] float decay_over(size_t tokens) const {
    return at(round.decay, std::exp(at(round.exponent, -slope * static_cast<float>(tokens))));
  }

  void block_row(size_t first, size_t length, size_t i) {
    Row weights, query;
    for (size_t j = 0; j < length; ++j) {
      const float score = at(round.score, math.dot(q[first + i], k[first + j]));
      weights.push_back(at(round.decayed_score, score * diagonal_decay[i][j]));
    }
    for (const float x : q[first + i]) query.push_back(at(round.query, x * query_decay[i]));
    for (size_t e = 0; e < width(); ++e) {
      Row own, before;
      for (size_t j = 0; j < length; ++j) own.push_back(v[first + j][e]);
      for (size_t d = 0; d < width(); ++d) before.push_back(state[d][e]);
      const float intra = at(round.intra, math.dot(weights, own));
      const float inter = at(round.inter, math.dot(query, before));
      out[first + i][e] = at(round.out, intra + inter);
      terms.push_back({intra, inter});
    }
  }

  void block_state(size_t first, size_t length) {
    const float decay = decay_over(length);
    const size_t row = key_decay.size() - length;
    for (size_t d = 0; d < width(); ++d) {
      Row keys;
      for (size_t j = 0; j < length; ++j) keys.push_back(at(round.key, k[first + j][d] * key_decay[row + j]));
      for (size_t e = 0; e < width(); ++e) {
        Row values;
        for (size_t j = 0; j < length; ++j) values.push_back(v[first + j][e]);
        const float increment = at(round.increment, math.dot(keys, values));
        state[d][e] = at(round.state, at(round.decayed_state, state[d][e] * decay) + increment);
      }
    }
  }

  void blocks() {
    states.push_back(state);
    for (size_t first = 0; first < q.size(); first += query_decay.size()) {
      const size_t length = std::min(query_decay.size(), q.size() - first);
      for (size_t i = 0; i < length; ++i) block_row(first, length, i);
      block_state(first, length);
      states.push_back(state);
    }
  }

  void tokens() {
    states.push_back(state);
    const float decay = decay_over(1);
    for (size_t s = 0; s < q.size(); ++s) {
      for (size_t d = 0; d < width(); ++d) {
        for (size_t e = 0; e < width(); ++e) {
          const float increment = at(round.increment, k[s][d] * v[s][e]);
          state[d][e] = at(round.state, at(round.decayed_state, decay * state[d][e]) + increment);
        }
      }
      for (size_t e = 0; e < width(); ++e) {
        Row column;
        for (size_t d = 0; d < width(); ++d) column.push_back(at(round.read_state, state[d][e]));
        out[s][e] = at(round.out, math.dot(q[s], column));
      }
      states.push_back(state);
    }
  }
};

std::vector<Row> tokens_of(const TensorView& x, int64_t b, int64_t a) {
  const auto all = x.as<double, 4>();                                                                    // (B, A, S, D)
  std::vector<Row> rows(static_cast<size_t>(all.extent[2]));
  for (int64_t s = 0; s < all.extent[2]; ++s) {
    for (int64_t d = 0; d < all.extent[3]; ++d)
      rows[static_cast<size_t>(s)].push_back(static_cast<float>(all(b, a, s, d)));
  }
  return rows;
}

/// Writes what recordings have besides, if the call asks for it.
void write_inner(const LightningHead& head, const LightningAttention::Outputs& out, int64_t b, int64_t a) {
  const int64_t width = out.out.shape[3];
  for (size_t j = 0; j < head.states.size() && !out.block_states.empty(); ++j) {
    for (int64_t i = 0; i < width * width; ++i)
      out.block_states.as<double, 5>()(static_cast<int64_t>(j), b, a, i / width, i % width) =
          head.states[j][static_cast<size_t>(i / width)][static_cast<size_t>(i % width)];
  }
  for (size_t i = 0; i < head.terms.size() && !out.intra.empty(); ++i) {
    const auto s = static_cast<int64_t>(i) / width, e = static_cast<int64_t>(i) % width;
    out.intra.as<double, 4>()(b, a, s, e) = head.terms[i].first;
    out.inter.as<double, 4>()(b, a, s, e) = head.terms[i].second;
  }
}

void lightning_attention(const LightningAttention::Inputs& in, const LightningAttention::Params&,
                         const LightningAttention::Outputs& out, const LightningAttention::Points& round,
                         const Arithmetic& math) {
  const auto y = out.out.as<double, 4>();                                                                // (B, A, S, D)
  const auto last = out.state.as<double, 4>();                                                           // (B, A, D, D)
  const auto query_decay = in.query_decay.as<double, 3>();                                                  // (A, Q, 1)
  const auto key_decay = in.key_decay.as<double, 3>();                                                      // (A, Q, 1)
  const auto diagonal = in.diagonal_decay.as<double, 3>();                                                  // (A, Q, Q)
  const int64_t width = y.extent[3];
  for (int64_t b = 0; b < y.extent[0]; ++b) {
    for (int64_t a = 0; a < y.extent[1]; ++a) {
      LightningHead head{round,
                         math,
                         tokens_of(in.q, b, a),
                         tokens_of(in.k, b, a),
                         tokens_of(in.v, b, a),
                         {},
                         {},
                         {},
                         static_cast<float>(in.slope_rate.value(a)),
                         {},
                         {},
                         {},
                         {}};
      for (int64_t i = 0; i < query_decay.extent[1]; ++i) {
        head.query_decay.push_back(static_cast<float>(query_decay(a, i, 0)));
        head.key_decay.push_back(static_cast<float>(key_decay(a, i, 0)));
        Row& row = head.diagonal_decay.emplace_back();
        for (int64_t j = 0; j < query_decay.extent[1]; ++j) row.push_back(static_cast<float>(diagonal(a, i, j)));
      }
      head.state.assign(static_cast<size_t>(width), Row(static_cast<size_t>(width), 0.0F));
      if (!in.past.empty()) head.state = tokens_of(in.past, b, a);
      head.out.assign(head.q.size(), Row(static_cast<size_t>(width)));
      in.past.empty() ? head.blocks() : head.tokens();
      write_inner(head, out, b, a);
      for (int64_t d = 0; d < width; ++d) {
        for (int64_t s = 0; s < y.extent[2]; ++s)
          y(b, a, s, d) = head.out[static_cast<size_t>(s)][static_cast<size_t>(d)];
        for (int64_t e = 0; e < width; ++e)
          last(b, a, d, e) = head.state[static_cast<size_t>(d)][static_cast<size_t>(e)];
      }
    }
  }
}

}  // namespace

void add_lightning_kernels(CorrectKernels& kernels) {
  kernels["lightning_attention"] = correct_kernel<LightningAttention>(lightning_attention);
}

}  // namespace parity::cases

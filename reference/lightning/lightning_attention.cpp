// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/lightning/lightning_attention.hpp"

#include <optional>

#include "reference/support.hpp"
#include "reference/vision/grid.hpp"

namespace parity::reference {

/// One head of one sequence: its operands, its state (D, D) and its outputs.
template <class Num>
class LightningHead {
 public:
  LightningHead(const LightningAttention::Inputs& in, const LightningAttention::Outputs& out, const Context& context,
                int64_t b, int64_t a)
      : round_(points_of<LightningAttention>(context)),
        q_(in.q.as<double, 4>()),
        k_(in.k.as<double, 4>()),
        v_(in.v.as<double, 4>()),
        query_decay_(in.query_decay.as<double, 3>()),
        key_decay_(in.key_decay.as<double, 3>()),
        diagonal_decay_(in.diagonal_decay.as<double, 3>()),
        slope_(in.slope_rate.as<double, 1>()(a)),
        b_(b),
        a_(a),
        width_(q_.extent[3]),
        state_(width_, width_),
        out_(out.out, context),
        final_(out.state, context) {
    if (!out.intra.empty()) intra_.emplace(out.intra, context);
    if (!out.inter.empty()) inter_.emplace(out.inter, context);
    if (!out.block_states.empty()) states_.emplace(out.block_states, context);
    if (in.past.empty()) return;
    const auto past = in.past.as<double, 4>();                                                           // (B, A, D, D)
    for_each_cell([&](int64_t d, int64_t e) { state_.set(d, e, Num(past(b, a, d, e))); });
  }

  void blocks() {
    const int64_t tokens = q_.extent[2];
    const int64_t size = query_decay_.extent[1];
    record(0);
    for (int64_t first = 0; first < tokens; first += size) {
      const int64_t m = std::min(size, tokens - first);
      for (int64_t i = 0; i < m; ++i) block_row(first, m, i);
      block_state(first, m);
      record(first / size + 1);
    }
    finish();
  }

  void tokens() {
    const Num decay = decay_over(1);
    record(0);
    for (int64_t s = 0; s < q_.extent[2]; ++s) {
      for_each_cell([&](int64_t d, int64_t e) {
        const Num increment = round_.increment(Num(k(s, d)) * Num(v(s, e)));
        state_.set(d, e, round_.state(round_.decayed_state(decay * state_.at(d, e)) + increment));
      });
      for (int64_t e = 0; e < width_; ++e) {
        Sum<Num> sum(round_.sum);
        for (int64_t d = 0; d < width_; ++d) sum.add(Num(q(s, d)) * round_.read_state(state_.at(d, e)));
        out_.set(round_.out(sum.value()), b_, a_, s, e);
      }
      record(s + 1);
    }
    finish();
  }

 private:
  [[nodiscard]] double q(int64_t s, int64_t d) const { return q_(b_, a_, s, d); }
  [[nodiscard]] double k(int64_t s, int64_t d) const { return k_(b_, a_, s, d); }
  [[nodiscard]] double v(int64_t s, int64_t d) const { return v_(b_, a_, s, d); }

  template <class Body>
  void for_each_cell(const Body& body) const {
    for (int64_t d = 0; d < width_; ++d) {
      for (int64_t e = 0; e < width_; ++e) body(d, e);
    }
  }

  /// exp(-slope m), the decay over m tokens.
  [[nodiscard]] Num decay_over(int64_t m) const {
    return round_.decay(exponential(round_.exponent(Num(-slope_ * static_cast<double>(m)))));
  }

  /// Writes row i of a block of m tokens: the part from the block's own tokens, and the part from the state before it.
  void block_row(int64_t first, int64_t m, int64_t i) {
    std::vector<Num> weight;  // of the block's values
    for (int64_t j = 0; j < m; ++j) {
      Sum<Num> dot(round_.dot);
      for (int64_t d = 0; d < width_; ++d) dot.add_product(q(first + i, d), k(first + j, d));
      weight.push_back(round_.decayed_score(round_.score(dot.value()) * Num(diagonal_decay_(a_, i, j))));
    }
    std::vector<Num> query;
    for (int64_t d = 0; d < width_; ++d)
      query.push_back(round_.query(Num(q(first + i, d)) * Num(query_decay_(a_, i, 0))));
    for (int64_t e = 0; e < width_; ++e) {
      Sum<Num> own(round_.sum);
      for (int64_t j = 0; j < m; ++j) own.add(weight[static_cast<size_t>(j)] * Num(v(first + j, e)));
      Sum<Num> earlier(round_.sum);
      for (int64_t d = 0; d < width_; ++d) earlier.add(query[static_cast<size_t>(d)] * state_.at(d, e));
      const Num intra = round_.intra(own.value());
      const Num inter = round_.inter(earlier.value());
      if (intra_) intra_->set(intra, b_, a_, first + i, e);
      if (inter_) inter_->set(inter, b_, a_, first + i, e);
      out_.set(round_.out(inter + intra), b_, a_, first + i, e);
    }
  }

  /// Updates the state after a block of m tokens.
  void block_state(int64_t first, int64_t m) {
    const Num decay = decay_over(m);
    const int64_t row = key_decay_.extent[1] - m;
    Grid<Num> keys(width_, m);
    for (int64_t d = 0; d < width_; ++d) {
      for (int64_t j = 0; j < m; ++j)
        keys.set(d, j, round_.key(Num(k(first + j, d)) * Num(key_decay_(a_, row + j, 0))));
    }
    for_each_cell([&](int64_t d, int64_t e) {
      Sum<Num> sum(round_.sum);
      for (int64_t j = 0; j < m; ++j) sum.add(keys.at(d, j) * Num(v(first + j, e)));
      const Num increment = round_.increment(sum.value());
      state_.set(d, e, round_.state(round_.decayed_state(state_.at(d, e) * decay) + increment));
    });
  }

  void record(int64_t block) const {
    if (states_) for_each_cell([&](int64_t d, int64_t e) { states_->set(state_.at(d, e), block, b_, a_, d, e); });
  }
  void finish() const {
    for_each_cell([&](int64_t d, int64_t e) { final_.set(state_.at(d, e), b_, a_, d, e); });
  }

  LightningAttention::Points round_;
  Span<double, 4> q_, k_, v_;                                                                            // (B, A, S, D)
  Span<double, 3> query_decay_, key_decay_;                                                                 // (A, Q, 1)
  Span<double, 3> diagonal_decay_;                                                                          // (A, Q, Q)
  double slope_;
  int64_t b_, a_, width_;
  Grid<Num> state_;                                                                                            // (D, D)
  std::optional<Sink<Num, 4>> intra_, inter_;                                                            // (B, A, S, D)
  Sink<Num, 4> out_;                                                                                     // (B, A, S, D)
  std::optional<Sink<Num, 5>> states_;                                                                // (J, B, A, D, D)
  Sink<Num, 4> final_;                                                                                   // (B, A, D, D)
};

template <class Num>
void lightning_attention(const LightningAttention::Inputs& in, const LightningAttention::Params&,
                         const LightningAttention::Outputs& out, Context& context) {
  std::vector<LightningHead<Num>> heads;
  for (int64_t b = 0; b < in.q.shape[0]; ++b) {
    for (int64_t a = 0; a < in.q.shape[1]; ++a) heads.emplace_back(in, out, context, b, a);
  }
  const int64_t work = in.q.shape[2] * in.q.shape[3];
  for_each_row(static_cast<int64_t>(heads.size()), work, [&](int64_t i) {
    LightningHead<Num>& head = heads[static_cast<size_t>(i)];
    in.past.empty() ? head.blocks() : head.tokens();
  });
}

PARITY_REFERENCE(LightningAttention, lightning_attention)

}  // namespace parity::reference

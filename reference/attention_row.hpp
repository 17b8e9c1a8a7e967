// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One row of softmax attention: one query head against the slots that it sees. Scores of one row only, never S x S.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "core/rounding.hpp"
#include "core/tensor.hpp"

namespace parity::reference {

/// Where a row reads and what it sees; `slots` ascending.
struct AttentionRow {
  int64_t b, a, g, s;
  std::vector<int64_t> slots;
  bool blind;          // sees nothing: every score is the same constant over all slots
  int64_t origin = 0;  // slot from which tiles are counted
};

/// sum_j p[j] v[b,g,j,:] with the bound of accumulation, D channels.
template <class Num>
class Mixture {
 public:
  Mixture(int64_t width, const Round& point)
      : point_(point), value_(width), rounding_(width), noise_(width), magnitude_(width) {}

  void add(const Num& weight, const double* v, int64_t stride) {
    ++terms_;
    for (size_t d = 0; d < value_.size(); ++d) {
      const double x = v[static_cast<int64_t>(d) * stride];
      value_[d] += value_of(weight) * x;
      if constexpr (std::is_same_v<Num, Bounded>) {
        rounding_[d] += weight.rounding * std::abs(x);
        noise_[d] += weight.noise * std::abs(x);
        magnitude_[d] += std::abs(weight.value * x);
      }
    }
  }
  void scale(double factor) {  // rounded walks only: a new running maximum
    for (double& x : value_) x = point_(x * factor);
  }
  [[nodiscard]] Num at(size_t d) const {
    if constexpr (std::is_same_v<Num, Bounded>) {
      return {value_[d], rounding_[d], noise_[d] + gamma(terms_) * point_.unit() * magnitude_[d]};
    } else {
      return point_(value_[d]);
    }
  }

 private:
  Round point_;
  std::vector<double> value_, rounding_, noise_, magnitude_;
  int64_t terms_ = 0;
};

/// scaled(score(dot(q, k_j)) * scale) for the row's slots; all zero for a blind row.
template <class Num, class Inputs, class Points>
std::vector<Num> row_scores(const AttentionRow& row, const Inputs& in, double scale, const Points& round) {
  const auto q = in.q.template as<double, 4>();                                                          // (B, A, S, D)
  const auto k = in.k.template as<double, 4>();                                                          // (B, G, K, D)
  std::vector<Num> scores(row.slots.size(), Num(0.0));
  if (row.blind) return scores;
  const Num factor = round.constant(Num(scale));
  for (size_t i = 0; i < row.slots.size(); ++i) {
    Sum<Num> dot(round.dot);
    for (int64_t d = 0; d < q.extent[3]; ++d)
      dot.add_product(q(row.b, row.a, row.s, d), k(row.b, row.g, row.slots[i], d));
    scores[i] = round.scaled(round.score(dot.value()) * factor);
  }
  return scores;
}

/// Softmax divided before the product with v (eager).
template <class Num, class Points>
Mixture<Num> mix_normalised(const AttentionRow& row, const std::vector<Num>& scores, const Span<double, 4>& v,
                            const Points& round) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const Num& score : scores) largest = std::max(largest, value_of(score));
  std::vector<Num> weights;
  Sum<Num> total(round.total);
  for (const Num& score : scores) {
    weights.push_back(round.exponential(exponential(score + Num(-largest))));  // softmax does not depend on the shift
    total.add(weights.back());
  }
  const Num sum = total.value();
  Mixture<Num> mixture(v.extent[3], round.mix);
  for (size_t i = 0; i < weights.size(); ++i) {
    mixture.add(round.weight(weights[i] / sum), &v(row.b, row.g, row.slots[i], 0), v.stride[3]);
  }
  return mixture;
}

/// Un-normalised weights with a running maximum over tiles of `tile` slots; divided by the sum at the end (sdpa kernels).
template <class Num, class Points>
std::vector<Num> mix_streaming(const AttentionRow& row, const std::vector<Num>& scores, const Span<double, 4>& v,
                               int64_t tile, const Points& round) {
  const auto tile_of = [&](int64_t slot) { return (slot - row.origin) / tile; };
  double largest = -std::numeric_limits<double>::infinity();
  Mixture<Num> mixture(v.extent[3], round.mix);
  Num total(0.0);
  for (size_t first = 0; first < scores.size();) {
    size_t last = first;
    double tile_largest = largest;
    while (last < scores.size() && tile_of(row.slots[last]) == tile_of(row.slots[first])) {
      tile_largest = std::max(tile_largest, value_of(scores[last++]));
    }
    if (first > 0) {
      const double shrink = round.exponential(std::exp(largest - tile_largest));
      mixture.scale(shrink);
      total = round.total(total * Num(shrink));
    }
    largest = tile_largest;
    Sum<Num> sum(round.total);
    for (; first < last; ++first) {
      const Num weight = round.exponential(exponential(scores[first] + Num(-largest)));
      sum.add(weight);
      mixture.add(round.weight(weight), &v(row.b, row.g, row.slots[first], 0), v.stride[3]);
    }
    total = round.total(total + sum.value());
  }
  std::vector<Num> result;
  for (int64_t d = 0; d < v.extent[3]; ++d) result.push_back(mixture.at(static_cast<size_t>(d)) / total);
  return result;
}

/// One output row (D): scores, softmax, mixture, rounded at `out`.
template <class Num, class C>
std::vector<Num> attention_row(const AttentionRow& row, const typename C::Inputs& in, const typename C::Params& params,
                               const typename C::Points& round) {
  const auto v = in.v.template as<double, 4>();                                                          // (B, G, K, D)
  if constexpr (requires { params.zero_blind_rows; }) {  // vision patches always see themselves
    if (row.blind && params.zero_blind_rows) return std::vector<Num>(static_cast<size_t>(v.extent[3]), Num(0.0));
  }
  const std::vector<Num> scores = row_scores<Num>(row, in, params.scale, round);
  std::vector<Num> result;
  if (params.normalise_first) {
    const Mixture<Num> mixture = mix_normalised(row, scores, v, round);
    for (int64_t d = 0; d < v.extent[3]; ++d) result.push_back(mixture.at(static_cast<size_t>(d)));
  } else {
    // Tiles only change roundings: an exact walk takes the row in one piece.
    const int64_t tile = round.out.active ? params.key_tile : std::max<int64_t>(v.extent[2], 1);
    result = mix_streaming(row, scores, v, tile, round);
  }
  for (Num& value : result) value = round.out(value);
  return result;
}

/// The slots that a query sees; `own` is its slot.
template <class C, class Visible>
std::vector<int64_t> visible_slots(const typename C::Inputs& in, const typename C::Params& params,
                                   const std::array<int64_t, 3>& at, int64_t own, const Visible& visible) {
  const auto [b, a, s] = at;
  std::optional<Span<int64_t, 2>> mask;                                                                        // (B, K)
  if (!in.mask.empty()) mask = in.mask.template as<int64_t, 2>();
  std::optional<Span<int64_t, 3>> pairs;                                                                    // (B, S, K)
  if constexpr (requires { in.pairs; }) {
    if (!in.pairs.empty()) pairs = in.pairs.template as<int64_t, 3>();
  }
  bool self = false;
  if constexpr (requires { params.self_visible; }) self = params.self_visible;
  std::vector<int64_t> slots;
  for (int64_t j = 0; j <= own; ++j) {
    const bool seen = (!mask || (*mask)(b, j) != 0) && (!pairs || (*pairs)(b, s, j) != 0) && visible(b, a, s, j);
    if (seen || (self && j == own)) slots.push_back(j);
  }
  return slots;
}

constexpr int64_t kManySlots = 256;  // below, threads cost more than they bring

/// Runs `visible(b, a, s, j)` over every row of C and writes the outputs.
template <class Num, class C, class Visible>
void attention(const typename C::Inputs& in, const typename C::Params& params, const typename C::Outputs& out,
               Context& context, const Visible& visible) {
  const auto round = points_of<C>(context);
  const auto q = in.q.template as<double, 4>();                                                          // (B, A, S, D)
  const auto k = in.k.template as<double, 4>();                                                          // (B, G, K, D)
  std::optional<Span<int64_t, 2>> positions;                                                                   // (B, S)
  if constexpr (requires { in.positions; }) {
    if (!in.positions.empty()) positions = in.positions.template as<int64_t, 2>();
  }
  const Sink<Num, 4> y(out.out, context);                                                                // (B, S, A, D)
  const int64_t slots = k.extent[2];
  const int64_t group = q.extent[1] / k.extent[1];
  const int64_t first = params.query_slot >= 0 ? params.query_slot : slots - q.extent[2];
  PARITY_CHECK(first + q.extent[2] <= slots, schema, "{}: queries in slots {} to {} of {}", C::text.name, first,
               first + q.extent[2] - 1, slots);
#pragma omp parallel for collapse(2) schedule(dynamic) if (slots >= kManySlots)
  for (int64_t b = 0; b < q.extent[0]; ++b) {
    for (int64_t a = 0; a < q.extent[1]; ++a) {
      for (int64_t s = 0; s < q.extent[2]; ++s) {
        const int64_t own = positions ? std::min((*positions)(b, s), slots - 1) : first + s;
        AttentionRow row{b, a, a / group, s, visible_slots<C>(in, params, {b, a, s}, own, visible), false};
        row.blind = row.slots.empty();
        for (int64_t j = 0; row.blind && j < slots; ++j) row.slots.push_back(j);
        const auto result = attention_row<Num, C>(row, in, params, round);
        for (size_t d = 0; d < result.size(); ++d) y.set(result[d], b, s, a, static_cast<int64_t>(d));
      }
    }
  }
}

}  // namespace parity::reference

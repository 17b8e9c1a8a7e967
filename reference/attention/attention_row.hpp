// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One row of softmax attention: one query of one head against the slots that it sees. Only one row of scores is stored.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/parallel.hpp"
#include "core/rounding.hpp"
#include "core/tensor.hpp"
#include "reference/vision/grid.hpp"

namespace parity::reference {

/// Indices of a row, and the slots that its query sees, in ascending order.
struct AttentionRow {
  int64_t b, a, s;
  std::vector<int64_t> slots;
  bool blind;          // the query sees no slot: all slots then have the same score
  int64_t origin = 0;  // the slot at which the first tile begins
};

/// Keys and values of one head, copied so that a row reads adjacent memory. The order of sums does not change.
struct Head {
  Matrix keys;                                                                                                 // (D, K)
  Matrix values;                                                                                               // (K, D)

  Head(const Span<double, 4>& k, const Span<double, 4>& v, int64_t b, int64_t g)
      : keys(k.extent[3], k.extent[2]), values(v.extent[2], v.extent[3]) {
    for (int64_t j = 0; j < keys.cols(); ++j) {
      for (int64_t d = 0; d < keys.rows(); ++d) keys(d, j) = k(b, g, j, d);
      for (int64_t d = 0; d < values.cols(); ++d) values(j, d) = v(b, g, j, d);
    }
  }
};

/// sum_j p[j] v[b,g,j,:] over D channels, with the error bound of its accumulation.
template <class Num>
class Mixture {
 public:
  Mixture(int64_t width, const Round& point)
      : point_(point), value_(Channels::Zero(width)), rounding_(value_), noise_(value_), magnitude_(value_) {}

  void add(const Num& weight, const Matrix& values, int64_t slot) {
    ++terms_;
    const auto v = values.row(slot).array();
    value_ += value_of(weight) * v;
    if constexpr (std::is_same_v<Num, Bounded>) {
      if (std::isfinite(weight.error())) {
        rounding_ += weight.rounding * v.abs();
        noise_ += weight.noise * v.abs();
      } else {  // the error of the weight is unbounded, but times a value of 0 it is 0
        for (int64_t d = 0; d < value_.size(); ++d) rounding_[d] += spread(std::abs(v[d]), weight.rounding);
        for (int64_t d = 0; d < value_.size(); ++d) noise_[d] += spread(std::abs(v[d]), weight.noise);
      }
      magnitude_ += (weight.value * v).abs();
    }
  }
  void scale(double factor) {  // for a new running maximum; only in rounded evaluations
    for (double& x : value_) x = point_(x * factor);
  }
  [[nodiscard]] Num at(int64_t d) const {
    if constexpr (std::is_same_v<Num, Bounded>) {
      return {value_[d], rounding_[d], noise_[d] + gamma(terms_) * point_.unit() * magnitude_[d]};
    } else {
      return point_(value_[d]);
    }
  }

 private:
  using Channels = Eigen::Array<double, 1, Eigen::Dynamic>;

  Round point_;
  Channels value_, rounding_, noise_, magnitude_;
  int64_t terms_ = 0;
};

/// Appends dot(q, k_j) for `length` slots from `first` on. Vectorised over slots; each sum adds channels in order.
template <class Num>
void add_dots(const Span<double, 4>& q, const AttentionRow& row, const Matrix& keys, int64_t first, int64_t length,
              const Round& point, std::vector<Num>& dots) {
  using Slots = Eigen::Array<double, 1, Eigen::Dynamic>;
  Slots total = Slots::Zero(length);
  Slots magnitude = total;
  for (int64_t d = 0; d < keys.rows(); ++d) {
    const double x = q(row.b, row.a, row.s, d);
    const auto k = keys.row(d).segment(first, length).array();
    total += x * k;
    if constexpr (std::is_same_v<Num, Bounded>) magnitude += (x * k).abs();
  }
  for (int64_t i = 0; i < length; ++i) {
    Sum<Num> dot(point);
    dot.add_products(total[i], magnitude[i], keys.rows());
    dots.push_back(dot.value());
  }
}

/// scaled(score(dot(q, k_j)) * scale) for the slots of the row; all 0 for a query that sees no slot.
template <class Num, class Points>
std::vector<Num> row_scores(const AttentionRow& row, const Span<double, 4>& q, const Head& head, double scale,
                            const Points& round) {
  const size_t count = row.slots.size();
  if (row.blind) return std::vector<Num>(count, Num(0.0));
  std::vector<Num> scores;
  for (size_t first = 0; first < count;) {  // runs of adjacent slots
    size_t last = first + 1;
    while (last < count && row.slots[last] == row.slots[last - 1] + 1) ++last;
    add_dots(q, row, head.keys, row.slots[first], static_cast<int64_t>(last - first), round.dot, scores);
    first = last;
  }
  const Num factor = round.constant(Num(scale));
  for (Num& score : scores) score = round.scaled(round.score(score) * factor);
  return scores;
}

/// Softmax with the division before the product with v (eager).
template <class Num, class Points>
Mixture<Num> mix_normalised(const AttentionRow& row, const std::vector<Num>& scores, const Matrix& values,
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
  Mixture<Num> mixture(values.cols(), round.mix);
  for (size_t i = 0; i < weights.size(); ++i) {
    mixture.add(round.weight(weights[i] / sum), values, row.slots[i]);
  }
  return mixture;
}

/// Softmax with un-normalised weights and a running maximum over tiles of `tile` slots, divided at the end (sdpa).
template <class Num, class Points>
std::vector<Num> mix_streaming(const AttentionRow& row, const std::vector<Num>& scores, const Matrix& values,
                               int64_t tile, const Points& round) {
  const auto tile_of = [&](int64_t slot) { return (slot - row.origin) / tile; };
  double largest = -std::numeric_limits<double>::infinity();
  Mixture<Num> mixture(values.cols(), round.mix);
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
      mixture.add(round.weight(weight), values, row.slots[first]);
    }
    total = round.total(total + sum.value());
  }
  std::vector<Num> result;
  for (int64_t d = 0; d < values.cols(); ++d) result.push_back(mixture.at(d) / total);
  return result;
}

/// An element of the mixture, with a bound that also holds for a kernel that adds its weights as it rounds them for the
/// product with v, so that the mean of equal values is that value. The oracle adds them unrounded. With weights
/// w_j (1 + d_j), |d_j| <= u, such a kernel errs by sum_j d_j w_j (v_j - out) / sum_j w_j, where the oracle errs by
/// sum_j d_j w_j v_j / sum_j w_j. The difference is at most u |out|.
inline double summed_either_way(double value, const Round& /*weight*/) { return value; }
inline Bounded summed_either_way(const Bounded& value, const Round& weight) {
  if (weight.precision != Precision::working) return value;
  return {value.value, value.rounding + weight.unit() * std::abs(value.value), value.noise};
}

/// One row of the output (D): scores, softmax and mixture, rounded at `out`.
template <class Num, class C>
std::vector<Num> attention_row(const AttentionRow& row, const Span<double, 4>& q, const Head& head,
                               const typename C::Params& params, const typename C::Points& round) {
  const int64_t width = head.values.cols();
  if constexpr (requires { params.zero_blind_rows; }) {  // vision patches see at least themselves
    if (row.blind && params.zero_blind_rows) return std::vector<Num>(static_cast<size_t>(width), Num(0.0));
  }
  const std::vector<Num> scores = row_scores<Num>(row, q, head, params.scale, round);
  std::vector<Num> result;
  if (params.normalise_first) {
    const Mixture<Num> mixture = mix_normalised(row, scores, head.values, round);
    for (int64_t d = 0; d < width; ++d) result.push_back(mixture.at(d));
  } else {
    // Tiles only change roundings, so an exact evaluation takes the row as one tile.
    const int64_t tile = round.out.active ? params.key_tile : std::max<int64_t>(head.values.rows(), 1);
    result = mix_streaming(row, scores, head.values, tile, round);
  }
  for (Num& value : result) value = round.out(summed_either_way(value, round.weight));
  return result;
}

/// The slots up to `own`, the query's slot, that the masks and `visible` allow.
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

constexpr int64_t kManySlots = 256;  // with fewer slots, threads cost more time than they save

/// Computes attention for every row of component C and writes its outputs; `visible(b, a, s, j)` restricts the slots.
template <class Num, class C, class Visible>
void attention(const typename C::Inputs& in, const typename C::Params& params, const typename C::Outputs& out,
               Context& context, const Visible& visible) {
  const auto round = points_of<C>(context);
  const auto q = in.q.template as<double, 4>();                                                          // (B, A, S, D)
  const auto k = in.k.template as<double, 4>();                                                          // (B, G, K, D)
  const auto v = in.v.template as<double, 4>();                                                          // (B, G, K, D)
  std::optional<Span<int64_t, 2>> positions;                                                                   // (B, S)
  if constexpr (requires { in.positions; }) {
    if (!in.positions.empty()) positions = in.positions.template as<int64_t, 2>();
  }
  const Sink<Num, 4> y(out.out, context);                                                                // (B, S, A, D)
  const int64_t slots = k.extent[2];
  const int64_t group = q.extent[1] / k.extent[1];
  const int64_t first = params.query_slot >= 0 ? params.query_slot : slots - q.extent[2];
  PARITY_CHECK(first + q.extent[2] <= slots, schema,
               "{}: the queries take slots {} to {}, but k and v have only {} slots", C::text.name, first,
               first + q.extent[2] - 1, slots);
  PARITY_CHECK(params.key_tile > 0, usage, "{}: key_tile is {}; 1 or more is needed", C::text.name, params.key_tile);
  const auto attend = [&](int64_t b, int64_t a) {
    const Head head(k, v, b, a / group);
    for (int64_t s = 0; s < q.extent[2]; ++s) {
      const int64_t own = positions ? std::min((*positions)(b, s), slots - 1) : first + s;
      AttentionRow row{b, a, s, visible_slots<C>(in, params, {b, a, s}, own, visible), false};
      row.blind = row.slots.empty();
      for (int64_t j = 0; row.blind && j < slots; ++j) row.slots.push_back(j);
      const auto result = attention_row<Num, C>(row, q, head, params, round);
      for (size_t d = 0; d < result.size(); ++d) y.set(result[d], b, s, a, static_cast<int64_t>(d));
    }
  };
  CaughtInParallel caught;
#pragma omp parallel for collapse(2) schedule(dynamic) if (slots >= kManySlots)
  for (int64_t b = 0; b < q.extent[0]; ++b) {
    for (int64_t a = 0; a < q.extent[1]; ++a) caught.run([&] { attend(b, a); });
  }
  caught.rethrow();
}

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/lightning/lightning_tables.hpp"

#include <bit>
#include <cmath>

#include "reference/support.hpp"

namespace parity::reference {

/// The slope of head a as base^exponent: 2^(-8 (a + 1) / A). With ALiBi's interpolation, if A is between the powers of
/// two P and 2 P, the first P heads have the slopes for P heads, the others every other slope for 2 P heads.
struct Slope {
  double base;
  double exponent;
};

Slope slope_of(int64_t a, int64_t heads, bool interpolated) {
  const auto lower = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  const auto base = [](int64_t of) { return 1.0 / std::pow(2.0, 8.0 / static_cast<double>(of)); };
  if (!interpolated || lower == heads) return {base(heads), static_cast<double>(a + 1)};
  if (a < lower) return {base(lower), static_cast<double>(a + 1)};
  return {base(2 * lower), static_cast<double>(2 * (a - lower) + 1)};
}

double power_of(double base, double exponent) { return std::pow(base, exponent); }
Bounded power_of(const Bounded& base, double exponent) {
  const double value = std::pow(base.value, exponent);
  return base.scaled(value, exponent * std::pow(base.value + base.error(), exponent - 1.0));
}

template <class Num>
void copy(const TensorView& stored, const TensorView& output, const Context& context) {
  const auto x = stored.as<double, 3>();
  const Sink<Num, 3> y(output, context);
  for (int64_t a = 0; a < x.extent[0]; ++a) {
    for (int64_t i = 0; i < x.extent[1]; ++i) {
      for (int64_t j = 0; j < x.extent[2]; ++j) y.set(Num(x(a, i, j)), a, i, j);
    }
  }
}

template <class Num>
void compute(const LightningTables::Params& params, const LightningTables::Outputs& out, const Context& context) {
  const auto round = points_of<LightningTables>(context);
  const Sink<Num, 3> slopes(out.slope_rate, context);                                                       // (A, 1, 1)
  const Sink<Num, 3> query(out.query_decay, context);                                                       // (A, Q, 1)
  const Sink<Num, 3> key(out.key_decay, context);                                                           // (A, Q, 1)
  const Sink<Num, 3> diagonal(out.diagonal_decay, context);                                                 // (A, Q, Q)
  const auto extent = out.diagonal_decay.as<double, 3>().extent;
  const auto depth =
      static_cast<double>(params.layer) / (static_cast<double>(params.layers - 1) + params.depth_epsilon);
  for (int64_t a = 0; a < extent[0]; ++a) {
    const Slope s = slope_of(a, extent[0], params.interpolated);
    const Num power = round.power(power_of(round.base(Num(s.base)), s.exponent));
    const Num slope = round.slope(power * round.factor(Num(1.0 - depth + 1e-5)));
    slopes.set(slope, a, 0, 0);
    const auto decay = [&](int64_t distance) {
      return round.decay(exponential(round.exponent(-slope * Num(static_cast<double>(distance)))));
    };
    for (int64_t i = 0; i < extent[1]; ++i) {
      query.set(decay(i + 1), a, i, 0);
      key.set(decay(extent[1] - i - 1), a, i, 0);
      for (int64_t j = 0; j < extent[2]; ++j) diagonal.set(j <= i ? decay(i - j) : Num(0.0), a, i, j);
    }
  }
}

template <class Num>
void lightning_tables(const LightningTables::Inputs& in, const LightningTables::Params& params,
                      const LightningTables::Outputs& out, Context& context) {
  if (in.stored_slope_rate.empty()) return compute<Num>(params, out, context);
  copy<Num>(in.stored_slope_rate, out.slope_rate, context);
  copy<Num>(in.stored_query_decay, out.query_decay, context);
  copy<Num>(in.stored_key_decay, out.key_decay, context);
  copy<Num>(in.stored_diagonal_decay, out.diagonal_decay, context);
}

PARITY_REFERENCE(LightningTables, lightning_tables)

}  // namespace parity::reference

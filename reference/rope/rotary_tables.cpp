// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/rope/rotary_tables.hpp"

#include <optional>

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void rotary_tables(const RotaryTables::Inputs& in, const RotaryTables::Params& params, const RotaryTables::Outputs& out,
                   Context& context) {
  const auto round = points_of<RotaryTables>(context);
  const auto positions = in.positions.as<int64_t, 1>();                                                         // (B*S)
  const Sink<Num, 2> cos(out.cos, context);                                                                  // (B*S, R)
  const Sink<Num, 2> sin(out.sin, context);                                                                  // (B*S, R)
  std::optional<Sink<Num, 2>> uncast;                                                                        // (B*S, R)
  if (!out.uncast.empty()) uncast.emplace(out.uncast, context);
  PARITY_CHECK(out.cos.shape.back() == params.rotary_width, internal,
               "the tables have {} columns, too few for a rotary_width of {}", out.cos.shape.back(),
               params.rotary_width);
  const int64_t half = params.rotary_width / 2;
  for (int64_t j = 0; j < half; ++j) {
    const double exponent = round.exponent(2.0 * static_cast<double>(j) / static_cast<double>(params.rotary_width));
    const Num power = round.power(Num(std::pow(params.theta, exponent)));
    const Num inverse = round.inverse(Num(1.0) / power);
    for (int64_t n = 0; n < positions.extent[0]; ++n) {
      const auto position = static_cast<float>(positions(n));  // as the packages' .float(), which is inexact above 2^24
      const Num angle = round.angle(Num(static_cast<double>(position)) * inverse);
      const Num cosines = round.table(cosine(angle));
      const Num sines = round.table(sine(angle));
      if (uncast) uncast->set(cosines, n, j);
      if (uncast) uncast->set(sines, n, j + half);
      const Num c = round.out(cosines);
      const Num s = round.out(sines);
      cos.set(c, n, j);
      cos.set(c, n, j + half);
      sin.set(s, n, j);
      sin.set(s, n, j + half);
    }
  }
}

PARITY_REFERENCE(RotaryTables, rotary_tables)

}  // namespace parity::reference

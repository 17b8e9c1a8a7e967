// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary tables whose exponents use another width than the rotated one.

#include "core/components/rope/rotary_tables.hpp"

#include <cmath>

#include "faults/mutants/mutants.hpp"

namespace parity::faults {
namespace {

struct RotaryTablesOfWidth : RotaryTables {
  static constexpr ComponentText text{"rotary_tables_of_width", "theta^(-2j / (factor R)) instead of theta^(-2j / R)",
                                      "faults/mutants/rotary_tables.cpp"};
  struct Params : RotaryTables::Params {
    double factor = 2.0;  // below 1: pairs beyond the narrower width do not rotate
  };
  static constexpr auto params() {
    return std::tuple_cat(RotaryTables::params(), std::tuple{param("factor", &Params::factor)});
  }
};

template <class Num>
void rotary_tables_of_width(const RotaryTables::Inputs& in, const RotaryTablesOfWidth::Params& params,
                            const RotaryTables::Outputs& out, Context& context) {
  const auto round = points_of<RotaryTablesOfWidth>(context);
  const auto positions = in.positions.as<int64_t, 1>();                                                         // (B*S)
  const Sink<Num, 2> cos(out.cos, context);                                                                  // (B*S, R)
  const Sink<Num, 2> sin(out.sin, context);                                                                  // (B*S, R)
  const int64_t half = params.rotary_width / 2;
  const double width = params.factor * static_cast<double>(params.rotary_width);
  for (int64_t j = 0; j < half; ++j) {
    const double exponent = round.exponent(2.0 * static_cast<double>(j) / width);
    const Num inverse =
        exponent < 1.0 ? round.inverse(Num(1.0) / round.power(Num(std::pow(params.theta, exponent)))) : Num(0.0);
    for (int64_t n = 0; n < positions.extent[0]; ++n) {
      const Num angle = round.angle(Num(static_cast<double>(static_cast<float>(positions(n)))) * inverse);
      for (const int64_t r : {j, j + half}) {
        cos.set(round.out(round.table(cosine(angle))), n, r);
        sin.set(round.out(round.table(sine(angle))), n, r);
        if (!out.uncast.empty()) {
          const Sink<Num, 2> uncast(out.uncast, context);                                                    // (B*S, R)
          uncast.set(round.table(r == j ? cosine(angle) : sine(angle)), n, r);
        }
      }
    }
  }
}

}  // namespace

PARITY_REFERENCE(RotaryTablesOfWidth, rotary_tables_of_width)

}  // namespace parity::faults

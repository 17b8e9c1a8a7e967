// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary embedding with the pairs of another model.

#include "core/components/rope/partial_rope.hpp"
#include "faults/mutants/mutants.hpp"

namespace parity::faults {
namespace {

/// Rotates neighbours (2i, 2i + 1) instead of the pairs (i, i + R/2).
struct PartialRopeInterleaved : PartialRope {
  static constexpr ComponentText text{"partial_rope_interleaved", "rotates the pairs (2i, 2i + 1)",
                                      "faults/mutants/rope.cpp"};
  struct Params {
    bool halved_tables = false;  // keeps the tables, so both elements of a pair get different angles
  };
  static constexpr auto params() { return std::tuple{param("halved_tables", &Params::halved_tables)}; }
};

template <class Num>
void partial_rope_interleaved(const PartialRope::Inputs& in, const PartialRopeInterleaved::Params& params,
                              const PartialRope::Outputs& out, Context& context) {
  const auto round = points_of<PartialRopeInterleaved>(context);
  const auto x = in.x.as<double, 4>();                                                                   // (B, A, S, D)
  const auto cos = in.cos.as<double, 3>();                                                                  // (B, S, R)
  const auto sin = in.sin.as<double, 3>();                                                                  // (B, S, R)
  const Sink<Num, 4> y(out.out, context);                                                                // (B, A, S, D)
  const int64_t width = cos.extent[2];
  for (int64_t row = 0; row < x.extent[0] * x.extent[1] * x.extent[2]; ++row) {
    const int64_t s = row % x.extent[2];
    const int64_t a = row / x.extent[2] % x.extent[1];
    const int64_t b = row / x.extent[2] / x.extent[1];
    for (int64_t d = 0; d < x.extent[3]; ++d) {
      if (d >= width) {
        y.set(Num(x(b, a, s, d)), b, a, s, d);
        continue;
      }
      const int64_t angle = params.halved_tables ? d : d / 2;
      const double partner = d % 2 == 0 ? -x(b, a, s, d + 1) : x(b, a, s, d - 1);
      const Num direct = round.direct(Num(x(b, a, s, d)) * Num(cos(b, s, angle)));
      y.set(round.out(direct + round.crossed(Num(partner) * Num(sin(b, s, angle)))), b, a, s, d);
    }
  }
}

}  // namespace

PARITY_REFERENCE(PartialRopeInterleaved, partial_rope_interleaved)

}  // namespace parity::faults

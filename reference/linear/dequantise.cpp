// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/linear/dequantise.hpp"

#include <cmath>

#include "reference/support.hpp"

namespace parity::reference {

/// The scale that a stored number represents: the number itself, or with `exponents` 2^(stored - 127).
template <class Num>
Num scale_of(double stored, bool exponents, const Round& round) {
  constexpr int kBias = 127;
  return round(Num(exponents ? std::ldexp(1.0, static_cast<int>(stored) - kBias) : stored));
}

template <class Num>
void dequantise(const Dequantise::Inputs& in, const Dequantise::Params& params, const Dequantise::Outputs& out,
                Context& context) {
  const auto round = points_of<Dequantise>(context);
  const auto codes = in.codes.as<double, 2>();                                                                 // (N, K)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, K)
  if (in.scales.empty()) {
    for (int64_t n = 0; n < codes.extent[0]; ++n) {
      for (int64_t k = 0; k < codes.extent[1]; ++k) y.set(round.out(Num(codes(n, k))), n, k);
    }
    return;
  }
  const auto scales = in.scales.as<double, 2>();                                                               // (P, Q)
  PARITY_CHECK(codes.extent[0] % scales.extent[0] == 0 && codes.extent[1] % scales.extent[1] == 0, schema,
               "a matrix of {} x {} codes cannot be divided among {} x {} scales", codes.extent[0], codes.extent[1],
               scales.extent[0], scales.extent[1]);
  const int64_t rows = codes.extent[0] / scales.extent[0];
  const int64_t columns = codes.extent[1] / scales.extent[1];
  for (int64_t n = 0; n < codes.extent[0]; ++n) {
    for (int64_t k = 0; k < codes.extent[1]; ++k) {
      const Num scale = scale_of<Num>(scales(n / rows, k / columns), params.exponents, round.scale);
      y.set(round.out(round.product(Num(codes(n, k)) * scale)), n, k);
    }
  }
}

PARITY_REFERENCE(Dequantise, dequantise)

}  // namespace parity::reference

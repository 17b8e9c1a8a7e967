// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/gelu.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void gelu(const Gelu::Inputs& in, const Gelu::Params&, const Gelu::Outputs& out, Context& context) {
  const auto round = points_of<Gelu>(context);
  const auto x = in.x.as<double, 2>();                                                                         // (N, F)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, F)
  const Num root_of_half = round.constant(Num(std::sqrt(0.5)));
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    for (int64_t f = 0; f < x.extent[1]; ++f) {
      const Num error = round.error(error_function(round.scaled(Num(x(n, f)) * root_of_half)));
      y.set(round.out(Num(0.5 * x(n, f)) * round.shifted(Num(1.0) + error)), n, f);
    }
  }
}

PARITY_REFERENCE(Gelu, gelu)

}  // namespace parity::reference

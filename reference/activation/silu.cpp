// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/activation/silu.hpp"

#include "reference/activation/rounded_logistic.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void silu(const Silu::Inputs& in, const Silu::Params&, const Silu::Outputs& out, Context& context) {
  const auto round = points_of<Silu>(context);
  const auto x = in.x.as<double, 2>();                                                                         // (N, F)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, F)
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    for (int64_t f = 0; f < x.extent[1]; ++f)
      y.set(round.out(Num(x(n, f)) * round.sigmoid(rounded_logistic(Num(x(n, f)), round))), n, f);
  }
}

PARITY_REFERENCE(Silu, silu)

}  // namespace parity::reference

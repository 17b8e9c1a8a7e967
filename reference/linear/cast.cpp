// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/linear/cast.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void cast(const Cast::Inputs& in, const Cast::Params&, const Cast::Outputs& out, Context& context) {
  const auto round = points_of<Cast>(context);
  const auto x = in.x.as<double, 2>();                                                                         // (N, H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    for (int64_t h = 0; h < x.extent[1]; ++h) y.set(round.out(Num(x(n, h))), n, h);
  }
}

PARITY_REFERENCE(Cast, cast)

}  // namespace parity::reference

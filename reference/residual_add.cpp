// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/residual_add.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void residual_add(const ResidualAdd::Inputs& in, const ResidualAdd::Params&, const ResidualAdd::Outputs& out,
                  Context& context) {
  const auto round = points_of<ResidualAdd>(context);
  const auto residual = in.residual.as<double, 2>();                                                           // (N, H)
  const auto branch = in.branch.as<double, 2>();                                                               // (N, H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for (int64_t n = 0; n < residual.extent[0]; ++n) {
    for (int64_t h = 0; h < residual.extent[1]; ++h) y.set(round.out(Num(residual(n, h)) + Num(branch(n, h))), n, h);
  }
}

PARITY_REFERENCE(ResidualAdd, residual_add)

}  // namespace parity::reference

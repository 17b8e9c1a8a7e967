// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/norm/residual_add.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
Num weighted(double x, double factor, const Round& constant, const Round& point) {
  return factor == 1.0 ? Num(x) : point(Num(x) * constant(Num(factor)));
}

template <class Num>
void residual_add(const ResidualAdd::Inputs& in, const ResidualAdd::Params& params, const ResidualAdd::Outputs& out,
                  Context& context) {
  const auto round = points_of<ResidualAdd>(context);
  const auto residual = in.residual.as<double, 2>();                                                           // (N, H)
  const auto branch = in.branch.as<double, 2>();                                                               // (N, H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for_each_row(residual.extent[0], residual.extent[1], [&](int64_t n) {
    for (int64_t h = 0; h < residual.extent[1]; ++h) {
      const Num stream = weighted<Num>(residual(n, h), params.residual_factor, round.constant, round.scaled_residual);
      const Num added = weighted<Num>(branch(n, h), params.branch_factor, round.constant, round.scaled_branch);
      y.set(round.out(stream + added), n, h);
    }
  });
}

PARITY_REFERENCE(ResidualAdd, residual_add)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/router/router_bias_update.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void router_bias_update(const RouterBiasUpdate::Inputs& in, const RouterBiasUpdate::Params& params,
                        const RouterBiasUpdate::Outputs& out, Context& context) {
  const auto round = points_of<RouterBiasUpdate>(context);
  const auto bias = in.bias.as<double, 1>();                                                                      // (E)
  const auto load = in.load.as<int64_t, 1>();                                                                     // (E)
  const Sink<Num, 1> before(out.before, context);                                                                 // (E)
  const Sink<Num, 1> after(out.after, context);                                                                   // (E)
  const int64_t experts = bias.extent[0];
  int64_t total = 0;
  for (int64_t e = 0; e < experts; ++e) total += load(e);
  for (int64_t e = 0; e < experts; ++e) {
    const int64_t lack = total - load(e) * experts;  // has the sign of mean - load
    const Num step = lack == 0 ? Num(0.0) : constant<Num>(lack > 0 ? params.rate : -params.rate, round.constant);
    before.set(Num(bias(e)), e);
    after.set(round.out(Num(bias(e)) + step), e);
  }
}

PARITY_REFERENCE(RouterBiasUpdate, router_bias_update)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/moe_combine.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void moe_combine(const MoeCombine::Inputs& in, const MoeCombine::Params& params, const MoeCombine::Outputs& out,
                 Context& context) {
  const auto round = points_of<MoeCombine>(context);
  const auto routed = in.routed.as<double, 2>();                                                               // (N, H)
  const auto shared = in.shared.as<double, 2>();                                                               // (N, H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for (int64_t n = 0; n < routed.extent[0]; ++n) {
    for (int64_t h = 0; h < routed.extent[1]; ++h) {
      const Num scaled = round.scaled(Num(routed(n, h)) * constant<Num>(params.scaling, round.constant));
      y.set(round.out(scaled + Num(shared(n, h))), n, h);
    }
  }
}

PARITY_REFERENCE(MoeCombine, moe_combine)

}  // namespace parity::reference

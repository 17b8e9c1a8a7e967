// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/experts/moe_combine.hpp"

#include <optional>

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void moe_combine(const MoeCombine::Inputs& in, const MoeCombine::Params& params, const MoeCombine::Outputs& out,
                 Context& context) {
  const auto round = points_of<MoeCombine>(context);
  const auto routed = in.routed.as<double, 2>();                                                               // (N, H)
  std::optional<Span<double, 2>> shared;                                                                       // (N, H)
  if (!in.shared.empty()) shared = in.shared.as<double, 2>();
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for_each_row(routed.extent[0], routed.extent[1], [&](int64_t n) {
    for (int64_t h = 0; h < routed.extent[1]; ++h) {
      const Num scaled = round.scaled(Num(routed(n, h)) * constant<Num>(params.scaling, round.constant));
      y.set(shared ? round.out(scaled + Num((*shared)(n, h))) : scaled, n, h);
    }
  });
}

PARITY_REFERENCE(MoeCombine, moe_combine)

}  // namespace parity::reference

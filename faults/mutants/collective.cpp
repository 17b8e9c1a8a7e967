// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Collectives that do more than they should.

#include "core/components/collective/dispatch.hpp"
#include "faults/mutants/mutants.hpp"

namespace parity::faults {

PARITY_MUTANT_OF(DispatchSquared, Dispatch, "dispatch_squared", "out[n] = (row n of parts)^2: weights applied twice")

template <class Num>
void dispatch_squared(const Dispatch::Inputs& in, const Dispatch::Params& params, const Dispatch::Outputs& out,
                      Context& context) {
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  int64_t n = 0;
  for (const TensorView& part : in.parts) {
    const auto x = part.as<double, 2>();                                                                       // (L, H)
    for (int64_t row = 0; row < x.extent[0]; ++row, ++n) {
      bool routed = false;
      for (int64_t t = 0; t < indices.extent[1]; ++t)
        routed = routed || (indices(n, t) >= params.first && indices(n, t) - params.first < params.count);
      for (int64_t h = 0; h < x.extent[1]; ++h) y.set(Num(routed ? x(row, h) * x(row, h) : 0.0), n, h);
    }
  }
}

PARITY_REFERENCE(DispatchSquared, dispatch_squared)

}  // namespace parity::faults

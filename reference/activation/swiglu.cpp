// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/activation/swiglu.hpp"

#include "reference/activation/swiglu_formula.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void swiglu(const Swiglu::Inputs& in, const Swiglu::Params& params, const Swiglu::Outputs& out, Context& context) {
  const auto round = points_of<Swiglu>(context);
  const auto gate_up = in.gate_up.as<double, 2>();                                                            // (N, 2F)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, F)
  const int64_t width = gate_up.extent[1] / 2;
  for_each_row(gate_up.extent[0], width, [&](int64_t n) {
    for (int64_t f = 0; f < width; ++f) {
      const Num value = swiglu_formula(Num(gate_up(n, f)), Num(gate_up(n, width + f)), params, round);
      y.set(round.out(value), n, f);
    }
  });
}

PARITY_REFERENCE(Swiglu, swiglu)

}  // namespace parity::reference

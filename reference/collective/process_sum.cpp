// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/collective/process_sum.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void process_sum(const ProcessSum::Inputs& in, const ProcessSum::Params&, const ProcessSum::Outputs& out,
                 Context& context) {
  const auto round = points_of<ProcessSum>(context);
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  for (int64_t n = 0; n < out.out.shape[0]; ++n) {
    for (int64_t h = 0; h < out.out.shape[1]; ++h) {
      Sum<Num> total(round.total);
      for (const TensorView& part : in.parts) total.add(Num(part.as<double, 2>()(n, h)));
      y.set(total.value(), n, h);
    }
  }
}

PARITY_REFERENCE(ProcessSum, process_sum)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/router/load_sum.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void load_sum(const LoadSum::Inputs& in, const LoadSum::Params&, const LoadSum::Outputs& out, Context&) {
  const auto total = out.out.as<int64_t, 1>();                                                                    // (E)
  for (int64_t e = 0; e < total.extent[0]; ++e) {
    total(e) = 0;
    for (const TensorView& load : in.loads) total(e) += load.as<int64_t, 1>()(e);
  }
}

PARITY_REFERENCE(LoadSum, load_sum)

}  // namespace parity::reference

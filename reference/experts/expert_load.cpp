// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/experts/expert_load.hpp"

#include <optional>

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void expert_load(const ExpertLoad::Inputs& in, const ExpertLoad::Params&, const ExpertLoad::Outputs& out, Context&) {
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  const auto load = out.load.as<int64_t, 1>();                                                                    // (E)
  std::optional<Span<int64_t, 1>> real;                                                                           // (N)
  if (!in.token_mask.empty()) real = in.token_mask.as<int64_t, 1>();
  for (int64_t e = 0; e < load.extent[0]; ++e) load(e) = 0;
  for (int64_t n = 0; n < indices.extent[0]; ++n) {
    if (real && (*real)(n) == 0) continue;
    for (int64_t t = 0; t < indices.extent[1]; ++t) {
      const int64_t e = indices(n, t);
      if (e >= 0 && e < load.extent[0]) ++load(e);
    }
  }
}

PARITY_REFERENCE(ExpertLoad, expert_load)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/experts/local_experts.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void local_experts(const LocalExperts::Inputs& in, const LocalExperts::Params& params, const LocalExperts::Outputs& out,
                   Context&) {
  const auto indices = in.indices.as<int64_t, 2>(), local = out.out.as<int64_t, 2>();                          // (N, T)
  for (int64_t n = 0; n < indices.extent[0]; ++n) {
    for (int64_t t = 0; t < indices.extent[1]; ++t) {
      const int64_t id = indices(n, t) - params.first;
      local(n, t) = id >= 0 && id < params.count ? id : params.count;
    }
  }
}

PARITY_REFERENCE(LocalExperts, local_experts)

}  // namespace parity::reference

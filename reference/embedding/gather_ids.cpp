// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/embedding/gather_ids.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void gather_ids(const GatherIds::Inputs& in, const GatherIds::Params& params, const GatherIds::Outputs& out, Context&) {
  const auto rows = out.out.as<int64_t, 2>();  // (rows, T)
  for (int64_t n = 0; n < rows.extent[0]; ++n) {
    for (int64_t t = 0; t < rows.extent[1]; ++t) rows(n, t) = 0;
  }
  int64_t next = -params.first_slot;
  for (const TensorView& view : in.parts) {
    const auto part = view.as<int64_t, 2>();                                                                   // (N, T)
    for (int64_t n = 0; n < part.extent[0]; ++n, ++next) {
      if (next < 0 || next >= rows.extent[0]) continue;
      for (int64_t t = 0; t < part.extent[1]; ++t) rows(next, t) = part(n, t);
    }
  }
}

PARITY_REFERENCE(GatherIds, gather_ids)

}  // namespace parity::reference

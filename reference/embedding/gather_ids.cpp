// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/embedding/gather_ids.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void gather_ids(const GatherIds::Inputs& in, const GatherIds::Params&, const GatherIds::Outputs& out, Context&) {
  const auto rows = out.out.as<int64_t, 2>();                                                                  // (N, T)
  int64_t next = 0;
  for (const TensorView& view : in.parts) {
    const auto part = view.as<int64_t, 2>();                                                                   // (N, T)
    PARITY_CHECK(next + part.extent[0] <= rows.extent[0], internal,
                 "more than the {} rows of the output are to be gathered", rows.extent[0]);
    for (int64_t n = 0; n < part.extent[0]; ++n, ++next) {
      for (int64_t t = 0; t < part.extent[1]; ++t) rows(next, t) = part(n, t);
    }
  }
  PARITY_CHECK(next == rows.extent[0], internal, "{} rows are to be gathered, but the output has {}", next,
               rows.extent[0]);
}

PARITY_REFERENCE(GatherIds, gather_ids)

}  // namespace parity::reference

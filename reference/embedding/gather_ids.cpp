// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/embedding/gather_ids.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void gather_ids(const GatherIds::Inputs& in, const GatherIds::Params& params, const GatherIds::Outputs& out, Context&) {
  const auto rows = out.out.as<int64_t, 3>();                                                            // (B, rows, T)
  const auto fill = [&](int64_t row, const auto& id) {
    for (int64_t b = 0; b < rows.extent[0]; ++b) {
      for (int64_t t = 0; t < rows.extent[2]; ++t) rows(b, row, t) = id(b, t);
    }
  };
  for (int64_t row = 0; row < rows.extent[1]; ++row) fill(row, [](int64_t, int64_t) { return int64_t{0}; });
  int64_t next = -params.first_slot;
  for (const TensorView& view : in.parts) {
    const auto part = view.as<int64_t, 3>();                                                                // (B, S, T)
    for (int64_t s = 0; s < part.extent[1]; ++s, ++next) {
      if (next >= 0 && next < rows.extent[1]) fill(next, [&](int64_t b, int64_t t) { return part(b, s, t); });
    }
  }
}

PARITY_REFERENCE(GatherIds, gather_ids)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/slot_positions.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void slot_positions(const SlotPositions::Inputs& in, const SlotPositions::Params&, const SlotPositions::Outputs& out,
                    Context&) {
  const auto slots = out.out.as<int64_t, 2>();                                                                 // (B, S)
  PARITY_CHECK(in.ids.shape == out.out.shape, internal, "slots have shape {}, but tokens have shape {}",
               to_string(out.out.shape), to_string(in.ids.shape));
  for (int64_t b = 0; b < slots.extent[0]; ++b) {
    for (int64_t s = 0; s < slots.extent[1]; ++s) slots(b, s) = in.slots.empty() ? s : in.slots.as<int64_t, 1>()(s);
  }
}

PARITY_REFERENCE(SlotPositions, slot_positions)

}  // namespace parity::reference

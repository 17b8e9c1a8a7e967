// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/loss/shift_left.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void shift_left(const ShiftLeft::Inputs& in, const ShiftLeft::Params& params, const ShiftLeft::Outputs& out, Context&) {
  const auto ids = in.ids.as<int64_t, 2>();                                                                    // (B, S)
  const auto shifted = out.out.as<int64_t, 2>();                                                               // (B, S)
  const int64_t last = ids.extent[1] - 1;
  for (int64_t b = 0; b < ids.extent[0]; ++b) {
    for (int64_t s = 0; s < last; ++s) shifted(b, s) = ids(b, s + 1);
    shifted(b, last) = params.fill;
  }
}

PARITY_REFERENCE(ShiftLeft, shift_left)

}  // namespace parity::reference

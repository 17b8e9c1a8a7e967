// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/token_mask.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void token_mask(const TokenMask::Inputs& in, const TokenMask::Params&, const TokenMask::Outputs& out, Context&) {
  const auto mask = in.mask.as<int64_t, 1>();                                                                   // (B*S)
  const auto real = out.out.as<int64_t, 1>();                                                                     // (N)
  for (int64_t n = 0; n < mask.extent[0]; ++n) real(n) = mask(n) != 0 ? 1 : 0;
}

PARITY_REFERENCE(TokenMask, token_mask)

}  // namespace parity::reference

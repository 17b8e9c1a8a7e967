// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/embedding/token_equals.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void token_equals(const TokenEquals::Inputs& in, const TokenEquals::Params& params, const TokenEquals::Outputs& out,
                  Context&) {
  const auto ids = in.ids.as<int64_t, 1>();                                                                     // (B*S)
  const auto mask = out.out.as<int64_t, 1>();                                                                   // (B*S)
  for (int64_t n = 0; n < ids.extent[0]; ++n) mask(n) = ids(n) == params.token ? 1 : 0;
}

PARITY_REFERENCE(TokenEquals, token_equals)

}  // namespace parity::reference

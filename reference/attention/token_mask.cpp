// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/attention/token_mask.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void token_mask(const TokenMask::Inputs& in, const TokenMask::Params& params, const TokenMask::Outputs& out, Context&) {
  const auto real = out.out.as<int64_t, 1>();                                                                     // (N)
  const int64_t batch = in.mask.empty() ? 1 : in.mask.shape[0];
  const int64_t tokens = real.extent[0] / batch;
  for (int64_t n = 0; n < real.extent[0]; ++n) {
    real(n) = 1;
    if (in.mask.empty()) continue;
    const int64_t b = n / tokens;
    const int64_t s = n % tokens;
    const int64_t place = in.positions.empty() ? s : in.positions.as<int64_t, 2>()(b, s);
    PARITY_CHECK(place >= 0 && place < in.mask.shape[1], schema,
                 "token {} is at position {}, but the mask has {} entries", s, place, in.mask.shape[1]);
    real(n) = (in.mask.as<int64_t, 2>()(b, place) != 0) != params.padding ? 1 : 0;
  }
}

PARITY_REFERENCE(TokenMask, token_mask)

}  // namespace parity::reference

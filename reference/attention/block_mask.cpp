// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/attention/block_mask.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void block_mask(const BlockMask::Inputs& in, const BlockMask::Params&, const BlockMask::Outputs& out, Context&) {
  const auto blocks = in.blocks.as<int64_t, 2>();                                              // (B*S, T) or (B*X*S, T)
  const auto mask = out.out.as<int64_t, 2>();                                                  // (B*S, J) or (B*X*S, J)
  for (int64_t r = 0; r < mask.extent[0]; ++r) {
    for (int64_t n = 0; n < mask.extent[1]; ++n) mask(r, n) = 0;
    for (int64_t t = 0; t < blocks.extent[1]; ++t) {
      const int64_t n = blocks(r, t);
      if (n >= 0 && n < mask.extent[1]) mask(r, n) = 1;
    }
  }
}

PARITY_REFERENCE(BlockMask, block_mask)

}  // namespace parity::reference

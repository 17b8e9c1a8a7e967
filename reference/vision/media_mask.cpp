// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/vision/media_mask.hpp"

#include "reference/support.hpp"
#include "reference/vision/patch_grid.hpp"

namespace parity::reference {

template <class Num>
void media_mask(const MediaMask::Inputs& in, const MediaMask::Params&, const MediaMask::Outputs& out, Context&) {
  const auto mask = out.out.as<int64_t, 4>();                                                            // (1, 1, P, P)
  const int64_t patches = mask.extent[2];
  for (int64_t p = 0; p < patches; ++p) {
    for (int64_t q = 0; q < patches; ++q) mask(0, 0, p, q) = 0;
  }
  for (const Medium& medium : media_of(in.grid.as<int64_t, 2>(), patches)) {
    for (int64_t p = medium.first; p < medium.first + medium.count; ++p) {
      for (int64_t q = medium.first; q < medium.first + medium.count; ++q) mask(0, 0, p, q) = 1;
    }
  }
}

PARITY_REFERENCE(MediaMask, media_mask)

}  // namespace parity::reference

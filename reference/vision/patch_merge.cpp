// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/vision/patch_merge.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void patch_merge(const PatchMerge::Inputs& in, const PatchMerge::Params&, const PatchMerge::Outputs& out,
                 Context& context) {
  const auto x = in.x.as<double, 2>();                                                                         // (P, H)
  const Sink<Num, 2> y(out.out, context);  // (O, mH)
  const int64_t rows = out.out.shape[0];
  const int64_t merged = rows == 0 ? 0 : x.extent[0] / rows;
  PARITY_CHECK(merged * rows == x.extent[0] && merged * x.extent[1] == out.out.shape[1], schema,
               "{} patches of {} channels cannot be merged into {} rows of {}", x.extent[0], x.extent[1], rows,
               out.out.shape[1]);
  for (int64_t o = 0; o < rows; ++o) {
    for (int64_t i = 0; i < merged; ++i) {
      for (int64_t h = 0; h < x.extent[1]; ++h) y.set(Num(x(o * merged + i, h)), o, i * x.extent[1] + h);
    }
  }
}

PARITY_REFERENCE(PatchMerge, patch_merge)

}  // namespace parity::reference

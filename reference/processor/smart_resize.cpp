// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/processor/smart_resize.hpp"

#include "core/plans/m3/smart_size.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void smart_resize(const SmartResize::Inputs& in, const SmartResize::Params& params, const SmartResize::Outputs& out,
                  Context&) {
  const auto size = in.in.as<int64_t, 2>();                                                                    // (N, 5)
  const auto result = out.out.as<int64_t, 2>();                                                                // (N, 2)
  const auto error = out.error.as<int64_t, 1>();                                                                  // (N)
  for (int64_t n = 0; n < size.extent[0]; ++n) {
    const SizeRule rule{size(n, 2), size(n, 3), size(n, 4), params.whole_side};
    const auto made = smart_size({size(n, 0), size(n, 1)}, rule);
    result(n, 0) = made ? made->height : -1;
    result(n, 1) = made ? made->width : -1;
    error(n) = made ? 0 : 1;
  }
}

PARITY_REFERENCE(SmartResize, smart_resize)

}  // namespace parity::reference

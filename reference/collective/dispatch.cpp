// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/collective/dispatch.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void dispatch(const Dispatch::Inputs& in, const Dispatch::Params& params, const Dispatch::Outputs& out,
              Context& context) {
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  const int64_t width = out.out.shape.back();
  const auto is_routed = [&](int64_t n) {
    for (int64_t t = 0; t < indices.extent[1]; ++t) {
      const int64_t e = indices(n, t);
      if (e >= params.first && e - params.first < params.count) return true;
    }
    return false;
  };
  int64_t n = 0;
  for (const TensorView& part : in.parts) {
    const auto x = part.as<double, 2>();                                                                       // (L, H)
    for (int64_t row = 0; row < x.extent[0]; ++row, ++n) {
      PARITY_CHECK(n < indices.extent[0], internal, "the parts have more rows than the {} of the indices",
                   indices.extent[0]);
      const bool routed = is_routed(n);
      for (int64_t h = 0; h < width; ++h) y.set(Num(routed ? x(row, h) : 0.0), n, h);
    }
  }
}

PARITY_REFERENCE(Dispatch, dispatch)

}  // namespace parity::reference

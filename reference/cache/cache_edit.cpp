// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/cache_edit.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void cache_edit(const CacheEdit::Inputs& in, const CacheEdit::Params&, const CacheEdit::Outputs& out,
                Context& context) {
  const auto past = in.past.as<double, 4>();  // (B', G, P, D)
  const Sink<Num, 4> y(out.out, context);                                                                // (B, G, K, D)
  const Shape& shape = out.out.shape;
  PARITY_CHECK(shape[2] <= past.extent[2], schema, "{} slots are to be kept, but there are {}", shape[2],
               past.extent[2]);
  for (int64_t b = 0; b < shape[0]; ++b) {
    const int64_t row = in.rows.empty() ? b : in.rows.as<int64_t, 1>()(b);
    PARITY_CHECK(row >= 0 && row < past.extent[0], schema, "row {} is asked for, but the cache has {} rows", row,
                 past.extent[0]);
    for (int64_t g = 0; g < shape[1]; ++g) {
      for (int64_t k = 0; k < shape[2]; ++k) {
        for (int64_t d = 0; d < shape[3]; ++d) y.set(Num(past(row, g, k, d)), b, g, k, d);
      }
    }
  }
}

PARITY_REFERENCE(CacheEdit, cache_edit)

}  // namespace parity::reference

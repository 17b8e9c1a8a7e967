// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/page_write.hpp"

#include "reference/support.hpp"

namespace parity::reference {
namespace {

template <class Num>
void keep_past(const TensorView& past, const Shape& shape, const Sink<Num, 4>& y) {
  for (int64_t p = 0; p < shape[0]; ++p) {
    for (int64_t g = 0; g < shape[1]; ++g) {
      for (int64_t q = 0; q < shape[2]; ++q) {
        for (int64_t d = 0; d < shape[3]; ++d)
          y.set(Num(past.empty() ? 0.0 : past.as<double, 4>()(p, g, q, d)), p, g, q, d);
      }
    }
  }
}

}  // namespace

template <class Num>
void page_write(const PageWrite::Inputs& in, const PageWrite::Params& params, const PageWrite::Outputs& out,
                Context& context) {
  const auto fresh = in.fresh.as<double, 4>();                                                           // (B, G, S, D)
  const auto table = in.table.as<int64_t, 2>();  // (B, pages of a sequence)
  const Sink<Num, 4> y(out.out, context);        // (pages, G, page_size, D)
  const Shape& shape = out.out.shape;
  const int64_t size = params.page_size;
  const int64_t last = params.filled + fresh.extent[2];
  PARITY_CHECK(size > 0 && size == shape[2], schema,
               "the output's pages have {} slots, but page_size is {}; both must be the same, above 0", shape[2], size);
  PARITY_CHECK(params.filled >= 0 && last <= table.extent[1] * size, schema,
               "slots {} to {} do not fit into {} pages of {} slots", params.filled, last - 1, table.extent[1], size);
  PARITY_CHECK(in.past.empty() || in.past.shape == shape, schema, "output pages {} differ in shape from input pages {}",
               to_string(shape), to_string(in.past.shape));
  keep_past(in.past, shape, y);
  for (int64_t b = 0; b < fresh.extent[0]; ++b) {
    for (int64_t k = params.filled; k < last; ++k) {
      const int64_t page = table(b, k / size);
      PARITY_CHECK(page >= 0 && page < shape[0], schema, "slot {} of sequence {} is in page {}, but there are {} pages",
                   k, b, page, shape[0]);
      for (int64_t g = 0; g < shape[1]; ++g) {
        for (int64_t d = 0; d < shape[3]; ++d) y.set(Num(fresh(b, g, k - params.filled, d)), page, g, k % size, d);
      }
    }
  }
}

PARITY_REFERENCE(PageWrite, page_write)

}  // namespace parity::reference

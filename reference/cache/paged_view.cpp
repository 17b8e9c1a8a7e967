// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/paged_view.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void paged_view(const PagedView::Inputs& in, const PagedView::Params& params, const PagedView::Outputs& out,
                Context& context) {
  const auto pages = in.pages.as<double, 4>();   // (pages, G, page_size, D)
  const auto table = in.table.as<int64_t, 2>();  // (B, pages of a sequence)
  const Sink<Num, 4> y(out.out, context);                                                                // (B, G, K, D)
  const Shape& shape = out.out.shape;
  const int64_t size = params.page_size;
  PARITY_CHECK(size > 0 && size == pages.extent[2], schema, "pages of {} slots are read with page size {}",
               pages.extent[2], size);
  PARITY_CHECK(shape[2] <= table.extent[1] * size, schema, "{} slots are needed, but there are {} pages of {} slots",
               shape[2], table.extent[1], size);
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t k = 0; k < shape[2]; ++k) {
      const int64_t page = table(b, k / size);
      PARITY_CHECK(page >= 0 && page < pages.extent[0], schema,
                   "slot {} of sequence {} is in page {}, but there are {} pages", k, b, page, pages.extent[0]);
      for (int64_t g = 0; g < shape[1]; ++g) {
        for (int64_t d = 0; d < shape[3]; ++d) y.set(Num(pages(page, g, k % size, d)), b, g, k, d);
      }
    }
  }
}

PARITY_REFERENCE(PagedView, paged_view)

}  // namespace parity::reference

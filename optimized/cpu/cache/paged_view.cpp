// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache/paged_view.hpp"

#include <cstring>

#include "optimized/backends.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

/// Checks the table before threads start, because an exception must not leave a thread.
void check(const Span<int64_t, 2>& table, int64_t pages, int64_t page_size, int64_t slots) {
  PARITY_CHECK(slots <= table.extent[1] * page_size, schema, "{} slots are needed, but there are {} pages of {} slots",
               slots, table.extent[1], page_size);
  for (int64_t b = 0; b < table.extent[0]; ++b) {
    for (int64_t k = 0; k < slots; k += page_size) {
      const int64_t page = table(b, k / page_size);
      PARITY_CHECK(page >= 0 && page < pages, schema, "slot {} of sequence {} is in page {}, but there are {} pages", k,
                   b, page, pages);
    }
  }
}

/// Copies each page's rows of a head at once if they are contiguous on both sides, else row by row.
template <class T>
void paged_view(const PagedView::Inputs& in, const PagedView::Params& params, const PagedView::Outputs& out, Context&) {
  constexpr int64_t kGrain = int64_t{1} << 15;   // elements
  const auto pages = in.pages.as<T, 4>();        // (pages, G, page_size, D)
  const auto table = in.table.as<int64_t, 2>();  // (B, pages of a sequence)
  const auto y = out.out.as<T, 4>();                                                                     // (B, G, K, D)
  const auto [batch, heads, slots, width] = y.extent;
  const int64_t size = params.page_size;
  PARITY_CHECK(size > 0 && size == pages.extent[2], schema, "pages of {} slots are read with page size {}",
               pages.extent[2], size);
  PARITY_CHECK(width <= 1 || (pages.stride[3] == 1 && y.stride[3] == 1), internal,
               "paged_view needs rows with contiguous channels");
  check(table, pages.extent[0], size, slots);
  const int64_t grain = std::max<int64_t>(kGrain / std::max<int64_t>(slots * width, 1), 1);
  cpu::in_pieces(batch * heads, grain, [&, heads = heads, slots = slots, width = width](int64_t first, int64_t last) {
    for (int64_t n = first; n < last && width > 0; ++n) {
      const int64_t b = n / heads, g = n % heads;
      for (int64_t k = 0; k < slots; ++k)
        std::memcpy(&y(b, g, k, 0), &pages(table(b, k / size), g, k % size, 0), static_cast<size_t>(width) * sizeof(T));
    }
  });
}

}  // namespace

void register_cpu_paged_view(BackendKernels& kernels) {
  kernels.add<PagedView>("f32", &paged_view<float>);
  kernels.add<PagedView>("bf16", &paged_view<BFloat16>);
}

}  // namespace parity::optimized

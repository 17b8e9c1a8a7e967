// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// paged_view: threads for each slot of each head, which find their page themselves.
#include "optimized/cuda/operand.hpp"
#include "optimized/cuda/refusal.hpp"

namespace parity::optimized::cuda {

struct PagedViewParameters {
  Operand<4> pages, out;              // (pages, G, page_size, D), (B, G, K, D)
  Operand<2> table;                   // (B, pages of a sequence)
  int64_t rows, heads, slots, width;  // rows: of all sequences and heads
  int64_t page_size, count;           // of pages
  unsigned long long* refused;        // a row whose page does not exist
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void paged_view(const PagedViewParameters& p) {
  const int64_t row = row_of_thread();
  if (row >= p.rows) return;
  const int64_t k = row % p.slots, head = row / p.slots, g = head % p.heads, b = head / p.heads;
  const int64_t page = *at<int64_t>(p.table, b, k / p.page_size);
  if (page < 0 || page >= p.count) {
    refuse(p.refused, row);
    return;
  }
  move_row(at<T>(p.out, b, g, k), p.out.stride[3], at<T>(p.pages, page, g, k % p.page_size), p.pages.stride[3], p.width,
           p.vectors);
}

extern "C" __global__ void paged_view_f32(const __grid_constant__ PagedViewParameters p) { paged_view<float>(p); }
extern "C" __global__ void paged_view_bf16(const __grid_constant__ PagedViewParameters p) { paged_view<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/cache/paged_view.hpp"
#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void paged_view(const PagedView::Inputs& in, const PagedView::Params& params, const PagedView::Outputs& out,
                Context& context) {
  const auto pages = in.pages.as<T, 4>();        // (pages, G, page_size, D)
  const auto table = in.table.as<int64_t, 2>();  // (B, pages of a sequence)
  const auto y = out.out.as<T, 4>();                                                                     // (B, G, K, D)
  const auto& [batch, heads, slots, width] = y.extent;
  const int64_t size = params.page_size;
  PARITY_CHECK(size > 0 && size == pages.extent[2], schema, "pages of {} slots are read with page size {}",
               pages.extent[2], size);
  PARITY_CHECK(slots <= table.extent[1] * size, schema, "{} slots are needed, but there are {} pages of {} slots",
               slots, table.extent[1], size);
  const bool vectors = has_vectors(pages) && has_vectors(y);
  const Refusal refusal(context);
  const int64_t rows = batch * heads * slots;
  launch(context, row_launch("paged_view", kernel_name<T>("paged_view"), rows, units_of<T>(width, vectors)),
         PagedViewParameters{operand(pages), operand(y), operand(table), rows, heads, slots, width, size,
                             pages.extent[0], refusal.word(), vectors});
  const auto row = refusal.first();
  if (!row) return;
  const int64_t k = *row % slots, b = *row / slots / heads;
  throw Error(ErrorCode::schema, fmt::format("slot {} of sequence {} is in page {}, but there are {} pages", k, b,
                                             refusal.value(&table(b, k / size)), pages.extent[0]));
}

}  // namespace

void register_cuda_paged_view(BackendKernels& kernels) {
  kernels.add<PagedView>("f32", &paged_view<float>);
  kernels.add<PagedView>("bf16", &paged_view<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

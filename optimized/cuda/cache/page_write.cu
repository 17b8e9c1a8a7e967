// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// page_write: a thread for each new slot claims its place in the pages, then threads for each row of the pages fill it.
#include "optimized/cuda/operand.hpp"
#include "optimized/cuda/refusal.hpp"

namespace parity::optimized::cuda {

struct PageWriteParameters {
  Operand<4> past, fresh, out;                   // (pages, G, page_size, D), (B, G, S, D)
  Operand<2> table;                              // (B, pages of a sequence)
  unsigned long long* claims;                    // (pages, page_size)
  int64_t fresh_slots, tokens, filled;           // fresh_slots: of all sequences
  int64_t rows, heads, page_size, count, width;  // rows: of all pages and heads; count: of pages
  unsigned long long* refused;                   // a slot whose page does not exist
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/claim.cuh"
#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

/// If sequences share a page, the slot of the last sequence counts.
extern "C" __global__ void page_write_claims(const __grid_constant__ PageWriteParameters p) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.fresh_slots) return;
  const int64_t k = p.filled + i % p.tokens, page = *at<int64_t>(p.table, i / p.tokens, k / p.page_size);
  if (page < 0 || page >= p.count) {
    refuse(p.refused, i);
    return;
  }
  claim(p.claims, page * p.page_size + k % p.page_size, i);
}

template <class T>
__device__ void page_write(const PageWriteParameters& p) {
  const int64_t row = row_of_thread();
  if (row >= p.rows) return;
  const int64_t slot = row % p.page_size, head = row / p.page_size, g = head % p.heads, page = head / p.heads;
  const int64_t i = claimed_by(p.claims, page * p.page_size + slot);
  const Operand<4>& from = i < 0 ? p.past : p.fresh;
  const T* source = nullptr;
  if (i >= 0) {
    source = at<T>(p.fresh, i / p.tokens, g, i % p.tokens);
  } else if (p.past.data != nullptr) {
    source = at<T>(p.past, page, g, slot);
  }
  move_row(at<T>(p.out, page, g, slot), p.out.stride[3], source, from.stride[3], p.width, p.vectors);
}

extern "C" __global__ void page_write_f32(const __grid_constant__ PageWriteParameters p) { page_write<float>(p); }
extern "C" __global__ void page_write_bf16(const __grid_constant__ PageWriteParameters p) { page_write<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/cache/page_write.hpp"
#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
PageWriteParameters page_write_parameters(const PageWrite::Inputs& in, const PageWrite::Params& params,
                                          const PageWrite::Outputs& out) {
  const auto fresh = in.fresh.as<T, 4>();                                                                // (B, G, S, D)
  const auto y = out.out.as<T, 4>();       // (pages, G, page_size, D)
  const auto past = in.past.empty() ? Span<T, 4>{} : in.past.as<T, 4>();
  const auto table = in.table.as<int64_t, 2>();  // (B, pages of a sequence)
  const auto& [batch, heads, tokens, width] = fresh.extent;
  const int64_t size = params.page_size, last = params.filled + tokens;
  PARITY_CHECK(size > 0 && size == y.extent[2], schema,
               "the output's pages have {} slots, but page_size is {}; both must be the same, above 0", y.extent[2],
               size);
  PARITY_CHECK(params.filled >= 0 && last <= table.extent[1] * size, schema,
               "slots {} to {} do not fit into {} pages of {} slots", params.filled, last - 1, table.extent[1], size);
  PARITY_CHECK(in.past.empty() || past.extent == y.extent, schema,
               "output pages {} differ in shape from input pages {}", to_string(out.out.shape),
               to_string(in.past.shape));
  PARITY_CHECK(heads == y.extent[1] && width == y.extent[3] && table.extent[0] == batch, internal,
               "page_write: a tensor of shape {} does not fit into pages of shape {}", to_string(in.fresh.shape),
               to_string(out.out.shape));
  const bool vectors = has_vectors(fresh) && has_vectors(y) && (in.past.empty() || has_vectors(past));
  return {operand(past),  operand(fresh), operand(y),
          operand(table), nullptr,        batch * tokens,
          tokens,         params.filled,  y.extent[0] * heads * size,
          heads,          size,           y.extent[0],
          width,          nullptr,        vectors};
}

template <class T>
void page_write(const PageWrite::Inputs& in, const PageWrite::Params& params, const PageWrite::Outputs& out,
                Context& context) {
  constexpr uint32_t kThreads = 256;
  PageWriteParameters p = page_write_parameters<T>(in, params, out);
  const auto places = static_cast<size_t>(p.count * p.page_size);
  p.claims = context.workspace->take_elements<unsigned long long>(places);
  cuda_place(context).clear(reinterpret_cast<std::byte*>(p.claims), places * sizeof(*p.claims));
  const Refusal refusal(context);
  p.refused = refusal.word();
  launch(context,
         {"page_write", "page_write_claims", {grid_extent((p.fresh_slots + kThreads - 1) / kThreads)}, {kThreads}}, p);
  launch(context, row_launch("page_write", kernel_name<T>("page_write"), p.rows, units_of<T>(p.width, p.vectors)), p);
  const auto i = refusal.first();
  if (!i) return;
  const int64_t k = p.filled + *i % p.tokens, b = *i / p.tokens;
  const auto table = in.table.as<int64_t, 2>();
  throw Error(ErrorCode::schema, fmt::format("slot {} of sequence {} is in page {}, but there are {} pages", k, b,
                                             refusal.value(&table(b, k / p.page_size)), p.count));
}

}  // namespace

void register_cuda_page_write(BackendKernels& kernels) {
  kernels.add<PageWrite>("f32", &page_write<float>);
  kernels.add<PageWrite>("bf16", &page_write<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

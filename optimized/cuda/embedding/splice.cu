// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// splice: one block counts the placeholders in their order, then threads for each token fetch its row.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

/// Features of a kind; without data there are none, and its tokens keep their embedding.
struct SplicedFeatures {
  Operand<2> rows;                                                                                             // (O, H)
  int64_t token, count;
};

struct SpliceParameters {
  Operand<2> x, out;                                                                                           // (N, H)
  Operand<1> ids;                                                                                                 // (N)
  SplicedFeatures kind[2];  // image, video
  int64_t tokens, width;
  int64_t* places;  // (N): of an image's or video's row (kind 1 counts on from kind 0), or -1
  int64_t* found;   // (2): placeholders of each kind
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/block_join.cuh"
#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

/// Returns how many threads of the block before this one are `marked`, and adds the number of all marked ones to
/// `total`.
__device__ inline int64_t rank_in_block(bool marked, int64_t& total) {
  __shared__ uint32_t of_warp[kMostWarps];
  const uint32_t lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const uint32_t lanes = __ballot_sync(0xFFFFFFFFU, marked);
  __syncthreads();  // nobody still reads the last counts
  if (lane == 0) of_warp[warp] = static_cast<uint32_t>(__popc(lanes));
  __syncthreads();
  int64_t rank = total + __popc(lanes & ((1U << lane) - 1U));
  for (uint32_t w = 0; w < blockDim.x / kWarp; ++w) {
    if (w < warp) rank += of_warp[w];
    total += of_warp[w];
  }
  return rank;
}

extern "C" __global__ void __launch_bounds__(1024) splice_places(const __grid_constant__ SpliceParameters p) {
  int64_t found[2] = {};
  for (int64_t first = 0; first < p.tokens; first += blockDim.x) {
    const int64_t n = first + threadIdx.x;
    const bool inside = n < p.tokens;
    const int64_t id = inside ? *at<int64_t>(p.ids, n) : 0;
    int64_t place = -1;
    for (int kind = 0; kind < 2; ++kind) {
      const bool marked = inside && p.kind[kind].rows.data != nullptr && id == p.kind[kind].token;
      const int64_t rank = rank_in_block(marked, found[kind]);
      if (marked && rank < p.kind[kind].count) place = rank + (kind == 0 ? 0 : p.kind[0].count);
    }
    if (inside) p.places[n] = place;
  }
  if (threadIdx.x < 2) p.found[threadIdx.x] = threadIdx.x == 0 ? found[0] : found[1];
}

template <class T>
__device__ void splice(const SpliceParameters& p) {
  const int64_t n = row_of_thread();
  if (n >= p.tokens) return;
  const int64_t place = p.places[n], images = p.kind[0].count;
  const Operand<2>& from = place < 0 ? p.x : place < images ? p.kind[0].rows : p.kind[1].rows;
  const int64_t row = place < 0 ? n : place < images ? place : place - images;
  move_row(at<T>(p.out, n), p.out.stride[1], at<T>(from, row), from.stride[1], p.width, p.vectors);
}

extern "C" __global__ void splice_f32(const __grid_constant__ SpliceParameters p) { splice<float>(p); }
extern "C" __global__ void splice_bf16(const __grid_constant__ SpliceParameters p) { splice<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/embedding/splice.hpp"
#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
SplicedFeatures spliced(const TensorView& features, int64_t token, SpliceParameters& p) {
  if (features.empty()) return {{}, token, 0};
  const auto rows = features.as<T, 2>();                                                                       // (O, H)
  PARITY_CHECK(rows.extent[1] == p.width, internal, "splice: features have {} channels, but rows have {}",
               rows.extent[1], p.width);
  p.vectors = p.vectors && has_vectors(rows);
  return {operand(rows), token, rows.extent[0]};
}

/// This is known only when the device has counted the placeholders.
void require_all_spliced(const SpliceParameters& p, const CudaPlace& place) {
  const char* const names[2] = {"image", "video"};
  int64_t found[2] = {};
  place.read(reinterpret_cast<std::byte*>(found), reinterpret_cast<const std::byte*>(p.found), sizeof found);
  for (int kind = 0; kind < 2; ++kind)
    PARITY_CHECK(p.kind[kind].rows.data == nullptr || found[kind] == p.kind[kind].count, schema,
                 "there are {} {} tokens (id {}), but {} rows of features", found[kind], names[kind],
                 p.kind[kind].token, p.kind[kind].count);
}

template <class T>
void splice(const Splice::Inputs& in, const Splice::Params& params, const Splice::Outputs& out, Context& context) {
  constexpr uint32_t kMostThreads = 1024;
  const auto x = in.x.as<T, 2>(), y = out.out.as<T, 2>();                                                    // (B*S, H)
  const auto ids = in.ids.as<int64_t, 1>();                                                                     // (B*S)
  PARITY_CHECK(y.extent == x.extent && ids.extent[0] == x.extent[0], internal,
               "splice writes {} rows of {} for {} ids and {} rows", y.extent[0], y.extent[1], ids.extent[0],
               x.extent[0]);
  SpliceParameters p{};
  p.x = operand(x);
  p.out = operand(y);
  p.ids = operand(ids);
  p.tokens = x.extent[0];
  p.width = x.extent[1];
  p.vectors = has_vectors(x) && has_vectors(y);
  p.kind[0] = spliced<T>(in.image, params.image_token, p);
  p.kind[1] = spliced<T>(in.video, params.video_token, p);
  p.places = context.workspace->take_elements<int64_t>(static_cast<size_t>(p.tokens));
  p.found = context.workspace->take_elements<int64_t>(2);
  launch(context, {"splice", "splice_places", {1}, {threads_for(p.tokens, kMostThreads)}}, p);
  launch(context, row_launch("splice", kernel_name<T>("splice"), p.tokens, units_of<T>(p.width, p.vectors)), p);
  require_all_spliced(p, cuda_place(context));
}

}  // namespace

void register_cuda_splice(BackendKernels& kernels) {
  kernels.add<Splice>("f32", &splice<float>);
  kernels.add<Splice>("bf16", &splice<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

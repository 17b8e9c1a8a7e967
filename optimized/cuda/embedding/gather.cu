// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// gather: threads for each row of the parts claim a slot, then threads for each slot fetch the row that got it.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

struct GatherParameters {
  Operand<4> part, out;                                                                    // (B, G, S, D), (B, G, K, D)
  Operand<1> slots;                                                        // (S), without data: rows follow one another
  unsigned long long* claims;                                                                                     // (K)
  int64_t begin, length;                          // rows of the parts before this one, and of this one
  int64_t first_slot, rows, heads, count, width;  // rows: of all sequences and heads of the result; count: K
  bool clears, vectors, widens;                   // clears: slots that nobody claimed; widens: bf16 to binary32
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/claim.cuh"
#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

extern "C" __global__ void gather_claims(const __grid_constant__ GatherParameters p) {
  const int64_t s = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (s >= p.length) return;
  const int64_t slot = p.slots.data == nullptr ? p.begin + s : *at<int64_t>(p.slots, s);
  const int64_t k = slot - p.first_slot;
  if (k >= 0 && k < p.count) claim(p.claims, k, p.begin + s);
}

struct GatheredRow {
  int64_t b, g, k, s, order;  // order: of the row among those of all parts, -1: the slot has none
  bool is_written;
};

__device__ inline GatheredRow gathered_row(const GatherParameters& p, int64_t row) {
  const int64_t k = row % p.count, head = row / p.count, order = claimed_by(p.claims, k), s = order - p.begin;
  const bool mine = s >= 0 && s < p.length;
  return {head / p.heads, head % p.heads, k, s, order, mine || (order < 0 && p.clears)};
}

template <class T>
__device__ void gather(const GatherParameters& p) {
  const int64_t row = row_of_thread();
  if (row >= p.rows) return;
  const auto [b, g, k, s, order, is_written] = gathered_row(p, row);
  if (!is_written) return;
  const T* from = order < 0 ? nullptr : at<T>(p.part, b, g, s);
  move_row(at<T>(p.out, b, g, k), p.out.stride[3], from, p.part.stride[3], p.width, p.vectors);
}

/// A part in bf16 of a result in binary32: a thread for each element.
extern "C" __global__ void gather_widened(const __grid_constant__ GatherParameters p) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, d = i % p.width;
  if (i >= p.rows * p.width) return;
  const auto [b, g, k, s, order, is_written] = gathered_row(p, i / p.width);
  if (!is_written) return;
  const float number = order < 0 ? 0.0F : widen(at<Bf16>(p.part, b, g, s)[d * p.part.stride[3]]);
  at<float>(p.out, b, g, k)[d * p.out.stride[3]] = number;
}

extern "C" __global__ void gather_f32(const __grid_constant__ GatherParameters p) { gather<float>(p); }
extern "C" __global__ void gather_bf16(const __grid_constant__ GatherParameters p) { gather<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/embedding/gather.hpp"
#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {
namespace {

constexpr uint32_t kGatherThreads = 256;

template <class From, class T>
GatherParameters gather_part_of(const Gather::Inputs& in, size_t r, const Span<T, 4>& y, GatherParameters p) {
  const auto part = in.parts[r].as<From, 4>();                                                           // (B, G, S, D)
  const bool fits = part.extent[0] == y.extent[0] && part.extent[1] == y.extent[1] && part.extent[3] == p.width;
  PARITY_CHECK(fits, internal, "gather: part {} of {} does not fit the result", r, to_string(in.parts[r].shape));
  p.part = operand(part);
  p.length = part.extent[2];
  p.clears = r == 0;
  p.widens = !std::is_same_v<From, T>;
  p.vectors = has_vectors(part) && has_vectors(y);
  if (in.slots.empty()) return p;
  const auto slots = in.slots[r].as<int64_t, 1>();                                                                // (S)
  PARITY_CHECK(slots.extent[0] == p.length, internal, "gather: {} slots are given for {} rows", slots.extent[0],
               p.length);
  p.slots = operand(slots);
  return p;
}

template <class T>
GatherParameters gather_part(const Gather::Inputs& in, size_t r, const Span<T, 4>& y, const GatherParameters& p) {
  const DType type = in.parts[r].dtype;
  if (type == kDTypeOf<T>) return gather_part_of<T>(in, r, y, p);
  PARITY_CHECK(type == DType::bf16, unsupported, "gather widens bf16; part {} is {}, the result {}", r, to_string(type),
               to_string(kDTypeOf<T>));
  return gather_part_of<BFloat16>(in, r, y, p);
}

template <class T>
void launch_gather(Context& context, const GatherParameters& p) {
  if (!p.widens)
    return launch(context, row_launch("gather", kernel_name<T>("gather"), p.rows, units_of<T>(p.width, p.vectors)), p);
  const uint32_t blocks = grid_extent((p.rows * p.width + kGatherThreads - 1) / kGatherThreads);
  launch(context, {"gather", "gather_widened", {blocks}, {kGatherThreads}}, p);
}

template <class T>
void gather_rows(const Gather::Inputs& in, const Gather::Params& params, const Gather::Outputs& out, Context& context) {
  PARITY_CHECK(!in.parts.empty() && (in.slots.empty() || in.slots.size() == in.parts.size()), internal,
               "there are {} parts, but slots of {}", in.parts.size(), in.slots.size());
  const auto y = out.out.as<T, 4>();                                                                     // (B, G, K, D)
  const auto& [batch, heads, count, width] = y.extent;
  GatherParameters whole{};
  whole.out = operand(y);
  whole.claims = context.workspace->take_elements<unsigned long long>(static_cast<size_t>(count));
  whole.first_slot = params.first_slot;
  whole.rows = batch * heads * count;
  whole.heads = heads;
  whole.count = count;
  whole.width = width;
  cuda_place(context).clear(reinterpret_cast<std::byte*>(whole.claims),
                            static_cast<size_t>(count) * sizeof(*whole.claims));
  std::vector<GatherParameters> parts;
  for (size_t r = 0; r < in.parts.size(); ++r) {
    parts.push_back(gather_part(in, r, y, whole));
    whole.begin += parts.back().length;
    const uint32_t blocks = grid_extent((parts.back().length + kGatherThreads - 1) / kGatherThreads);
    launch(context, {"gather", "gather_claims", {blocks}, {kGatherThreads}}, parts.back());
  }
  for (const GatherParameters& p : parts) launch_gather<T>(context, p);
}

/// The result of a model in bf16 may be binary32: weights of experts, sums.
template <class T>
void gather(const Gather::Inputs& in, const Gather::Params& params, const Gather::Outputs& out, Context& context) {
  if (out.out.dtype == DType::f32) return gather_rows<float>(in, params, out, context);
  gather_rows<T>(in, params, out, context);
}

}  // namespace

void register_cuda_gather(BackendKernels& kernels) {
  kernels.add<Gather>("f32", &gather<float>);
  kernels.add<Gather>("bf16", &gather<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

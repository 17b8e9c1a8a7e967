// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// patch_embed: a linear layer, once pixels are cast to the type of the weight and each kernel of the weight is a row.
#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

struct PatchEmbedParameters {
  Operand<5> from;  // rows and up to four axes
  void* to;         // (rows, width), dense
  int64_t extent[5];
  int64_t count;  // of all elements
  Element type;   // of `from`
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/any.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void pack_patches(const PatchEmbedParameters& p) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.count) return;
  int64_t rest = i, offset = 0;
  for (int axis = 4; axis >= 0; --axis) {
    offset += rest % p.extent[axis] * p.from.stride[axis];
    rest /= p.extent[axis];
  }
  static_cast<T*>(p.to)[i] = narrow<T>(load_any(p.type, p.from.data, offset));
}

extern "C" __global__ void patch_embed_f32(const __grid_constant__ PatchEmbedParameters p) { pack_patches<float>(p); }
extern "C" __global__ void patch_embed_bf16(const __grid_constant__ PatchEmbedParameters p) { pack_patches<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include <algorithm>

#include "core/components/vision/patch_embed.hpp"
#include "optimized/cuda/host_rows.hpp"
#include "optimized/cuda/launch.hpp"
#include "optimized/cuda/linear/linear.hpp"

namespace parity::optimized::cuda {
namespace {

/// The operand as a dense matrix of T: itself if it is one, else a copy in scratch memory.
template <class T>
TensorView packed_patches(const TensorView& from, Context& context) {
  constexpr uint32_t kThreads = 256;
  constexpr int64_t kAxes = 5;
  const int64_t rows = from.shape.front(), count = from.count(), width = rows == 0 ? 0 : count / rows;
  TensorView matrix{from.data, kDTypeOf<T>, {rows, width}, {width, 1}, {}};
  if (from.dtype == kDTypeOf<T> && from.contiguous()) return matrix;
  PatchEmbedParameters p{{from.data, {}}, nullptr, {1, 1, 1, 1, 1}, count, element_of(from.dtype)};
  std::copy(from.shape.begin(), from.shape.end(), p.extent + kAxes - from.rank());
  std::copy(from.strides.begin(), from.strides.end(), p.from.stride + kAxes - from.rank());
  p.to = context.workspace->take_elements<T>(static_cast<size_t>(count));
  const uint32_t blocks = grid_extent((count + kThreads - 1) / kThreads);
  launch(context, {"patch_embed", kernel_name<T>("patch_embed"), {blocks}, {kThreads}}, p);
  matrix.data = static_cast<std::byte*>(p.to);
  return matrix;
}

template <class T>
void patch_embed(const PatchEmbed::Inputs& in, const PatchEmbed::Params&, const PatchEmbed::Outputs& out,
                 Context& context) {
  const TensorView pixels = packed_patches<T>(in.pixels, context), weight = packed_patches<T>(in.weight, context);
  PARITY_CHECK(pixels.shape[1] == weight.shape[1], internal, "patch_embed: patches of {} values, kernels of {}",
               pixels.shape[1], weight.shape[1]);
  linear<T>({pixels, weight, {}}, {}, {out.out}, context);
}

}  // namespace

void register_cuda_patch_embed(BackendKernels& kernels) {
  kernels.add<PatchEmbed>("f32", &patch_embed<float>);
  kernels.add<PatchEmbed>("bf16", &patch_embed<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

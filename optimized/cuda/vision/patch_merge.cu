// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// patch_merge: threads for each patch, which goes beside the other patches of its merge block.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

struct PatchMergeParameters {
  Operand<2> x, out;                                                                                 // (P, H), (O, m H)
  int64_t patches, width, merged;  // merged: patches of a merge block
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void patch_merge(const PatchMergeParameters& p) {
  const int64_t row = row_of_thread();
  if (row >= p.patches) return;
  T* to = at<T>(p.out, row / p.merged, row % p.merged * p.width);
  move_row(to, p.out.stride[1], at<T>(p.x, row), p.x.stride[1], p.width, p.vectors);
}

extern "C" __global__ void patch_merge_f32(const __grid_constant__ PatchMergeParameters p) { patch_merge<float>(p); }
extern "C" __global__ void patch_merge_bf16(const __grid_constant__ PatchMergeParameters p) { patch_merge<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/vision/patch_merge.hpp"
#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void patch_merge(const PatchMerge::Inputs& in, const PatchMerge::Params&, const PatchMerge::Outputs& out,
                 Context& context) {
  const auto x = in.x.as<T, 2>(), y = out.out.as<T, 2>();                                            // (P, H), (O, m H)
  const auto [patches, width] = x.extent;
  const int64_t rows = y.extent[0], merged = rows == 0 ? 0 : patches / rows;
  PARITY_CHECK(merged * rows == patches && merged * width == y.extent[1], schema,
               "{} patches of {} channels cannot be merged into {} rows of {}", patches, width, rows, y.extent[1]);
  const bool vectors = width % kVectorElements<T> == 0 && has_vectors(x) && has_vectors(y);
  launch(context, row_launch("patch_merge", kernel_name<T>("patch_merge"), patches, units_of<T>(width, vectors)),
         PatchMergeParameters{operand(x), operand(y), patches, width, merged, vectors});
}

}  // namespace

void register_cuda_patch_merge(BackendKernels& kernels) {
  kernels.add<PatchMerge>("f32", &patch_merge<float>);
  kernels.add<PatchMerge>("bf16", &patch_merge<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

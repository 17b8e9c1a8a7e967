// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/vision/vision_attention.hpp"

#include "core/kept_workspace.hpp"
#include "optimized/cuda/attention/attend.hpp"
#include "optimized/vision_scopes.hpp"

namespace parity::optimized::cuda {
namespace {

/// Reads the grid from the device, because the launches depend on the scopes: with one copy if it is contiguous, and
/// only if the scopes depend on the grid.
std::vector<Scopes> scopes_of(const VisionAttention::Inputs& in, bool per_medium, const Context& context) {
  const int64_t patches = in.q.shape[2];
  if (!per_medium) return {{0, patches, 1}};
  const auto there = in.grid.as<int64_t, 2>();                                                                 // (M, 3)
  std::vector<int64_t> here(static_cast<size_t>(there.extent[0] * there.extent[1]));
  const auto read = [&](size_t to, const int64_t* from, size_t count) {
    context.place->read(reinterpret_cast<std::byte*>(here.data() + to), reinterpret_cast<const std::byte*>(from),
                        count * sizeof(int64_t));
  };
  const bool contiguous = there.stride[0] == 3 && there.stride[1] == 1;
  if (contiguous) read(0, there.data, here.size());
  for (size_t i = 0; !contiguous && i < here.size(); ++i)
    read(i, &there(static_cast<int64_t>(i) / 3, static_cast<int64_t>(i) % 3), 1);
  return optimized::scopes_of({here.data(), there.extent, {there.extent[1], 1}}, patches, true);
}

template <class T>
void vision_attention(const VisionAttention::Inputs& in, const VisionAttention::Params& params,
                      const VisionAttention::Outputs& out, Context& context) {
  KeptWorkspace workspace(*context.workspace);
  for (const Scopes& scopes : scopes_of(in, params.per_medium, context)) {
    workspace.rewind();
    attend(scope_operands<T>(in, params, out, scopes), false, context, workspace);
  }
}

}  // namespace

void register_cuda_vision_attention(BackendKernels& kernels) {
  kernels.add<VisionAttention>("f32", &vision_attention<float>);
  kernels.add<VisionAttention>("bf16", &vision_attention<BFloat16>);
}

}  // namespace parity::optimized::cuda

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/vision/vision_attention.hpp"

#include "core/kept_workspace.hpp"
#include "optimized/backends.hpp"
#include "optimized/cpu/attention/attention.hpp"
#include "optimized/vision_scopes.hpp"

namespace parity::optimized {
namespace {

template <class T>
void vision_attention(const VisionAttention::Inputs& in, const VisionAttention::Params& params,
                      const VisionAttention::Outputs& out, Context& context) {
  KeptWorkspace workspace(*context.workspace);
  for (const Scopes& scopes : scopes_of(in.grid.as<int64_t, 2>(), in.q.shape[2], params.per_medium)) {
    int64_t last = scopes.length - 1;  // the query is placed after all patches, so that it sees all of them
    auto operands = scope_operands<T>(in, params, out, scopes);
    operands.positions = Span<int64_t, 2>{&last, {scopes.count, scopes.length}, {0, 0}};
    workspace.rewind();
    cpu::attend(operands, workspace);
  }
}

}  // namespace

void register_cpu_vision_attention(BackendKernels& kernels) {
  kernels.add<VisionAttention>("f32", &vision_attention<float>);
  kernels.add<VisionAttention>("bf16", &vision_attention<BFloat16>);
}

}  // namespace parity::optimized

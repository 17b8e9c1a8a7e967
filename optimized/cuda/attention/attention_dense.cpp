// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/attention/attention_dense.hpp"

#include "optimized/cuda/attention/attend.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void attention_dense(const AttentionDense::Inputs& in, const AttentionDense::Params& params,
                     const AttentionDense::Outputs& out, Context& context) {
  auto operands = attention_operands<T, AttentionDense>(in, params, out);
  if (params.first_slot_masks && operands.mask) operands.mask->stride[1] = 0;
  attend(operands, true, context, *context.workspace);
}

}  // namespace

void register_cuda_attention_dense(BackendKernels& kernels) {
  kernels.add<AttentionDense>("f32", &attention_dense<float>);
  kernels.add<AttentionDense>("bf16", &attention_dense<BFloat16>);
}

}  // namespace parity::optimized::cuda

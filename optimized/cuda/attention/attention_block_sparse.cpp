// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/attention/attention_block_sparse.hpp"

#include "optimized/cuda/attention/attend.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T, BlockRows rows>
void attention_block_sparse(const AttentionBlockSparse::Inputs& in, const AttentionBlockSparse::Params& params,
                            const AttentionBlockSparse::Outputs& out, Context& context) {
  attend(block_sparse_operands<T>(in, params, out), true, context, *context.workspace, rows);
}

}  // namespace

void register_cuda_attention_block_sparse(BackendKernels& kernels) {
  kernels.add<AttentionBlockSparse>("f32", &attention_block_sparse<float, BlockRows::by_overlap>);
  kernels.add<AttentionBlockSparse>("bf16", &attention_block_sparse<BFloat16, BlockRows::by_overlap>);
  // What the table of counters counts, and what the choice by overlap is compared with.
  kernels.add_special<AttentionBlockSparse>("f32-union", &attention_block_sparse<float, BlockRows::shared>);
  kernels.add_special<AttentionBlockSparse>("bf16-union", &attention_block_sparse<BFloat16, BlockRows::shared>);
  // Today's Triton kernels give each query a block of its own: what the table of counters compares with.
  kernels.add_special<AttentionBlockSparse>("f32-one-query", &attention_block_sparse<float, BlockRows::least>);
  kernels.add_special<AttentionBlockSparse>("bf16-one-query", &attention_block_sparse<BFloat16, BlockRows::least>);
}

}  // namespace parity::optimized::cuda

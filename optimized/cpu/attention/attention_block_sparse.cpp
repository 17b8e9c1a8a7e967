// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/attention/attention_block_sparse.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/attention/attention.hpp"

namespace parity::optimized {
namespace {

template <class T>
void attention_block_sparse(const AttentionBlockSparse::Inputs& in, const AttentionBlockSparse::Params& params,
                            const AttentionBlockSparse::Outputs& out, Context& context) {
  cpu::attend(block_sparse_operands<T>(in, params, out), *context.workspace);
}

}  // namespace

void register_cpu_attention_block_sparse(BackendKernels& kernels) {
  kernels.add<AttentionBlockSparse>("f32", &attention_block_sparse<float>);
  kernels.add<AttentionBlockSparse>("bf16", &attention_block_sparse<BFloat16>);
}

}  // namespace parity::optimized

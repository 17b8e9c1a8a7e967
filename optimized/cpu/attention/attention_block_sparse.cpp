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
  auto operands = cpu::attention_operands<T, AttentionBlockSparse>(in, params, out);
  PARITY_CHECK(params.block_size > 0, schema, "attention_block_sparse: blocks of {} slots", params.block_size);
  operands.block_size = params.block_size;
  operands.lists = in.blocks.as<int64_t, 3>();                                               // (B, S, T) or (B*X, S, T)
  operands.self_visible = params.self_visible;
  if (!in.pairs.empty()) operands.pairs = in.pairs.as<int64_t, 3>();
  if (!in.positions.empty()) operands.positions = in.positions.as<int64_t, 2>();
  cpu::attend(operands, *context.workspace);
}

}  // namespace

void register_cpu_attention_block_sparse(BackendKernels& kernels) {
  kernels.add<AttentionBlockSparse>("f32", &attention_block_sparse<float>);
  kernels.add<AttentionBlockSparse>("bf16", &attention_block_sparse<BFloat16>);
}

}  // namespace parity::optimized

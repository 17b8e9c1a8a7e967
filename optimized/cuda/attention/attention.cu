// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention of one call: attention_dense, attention_block_sparse and vision_attention start these kernels. Calls of few
// rows run blocks of one warp. Sparse calls of many rows run blocks of eight warps, whose tokens share the key blocks that
// several of them select. If there are few blocks, several blocks divide the tiles of keys of a row among them, and
// combine() joins their results.
#include "optimized/cuda/attention/attention.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/attention_block.cuh"

namespace parity::optimized::cuda {

// At least 1 block at a time: without it the assembler reckons with three for sm_90, and spills.
#define PARITY_ATTENTION(name, T, width, warps)                                             \
  extern "C" __global__ void __launch_bounds__(32 * (warps), 1)                             \
      attention_##name##_##width##_##warps(const __grid_constant__ AttentionParameters p) { \
    attend<T, width, warps>(p);                                                             \
  }
PARITY_ATTENTION(f32, float, 32, 1)
PARITY_ATTENTION(f32, float, 32, 4)
PARITY_ATTENTION(f32, float, 128, 1)
PARITY_ATTENTION(f32, float, 128, 4)
PARITY_ATTENTION(bf16, Bf16, 32, 1)
PARITY_ATTENTION(bf16, Bf16, 32, 4)
PARITY_ATTENTION(bf16, Bf16, 64, 1)
PARITY_ATTENTION(bf16, Bf16, 64, 4)
PARITY_ATTENTION(bf16, Bf16, 80, 1)
PARITY_ATTENTION(bf16, Bf16, 80, 4)
PARITY_ATTENTION(bf16, Bf16, 128, 1)
PARITY_ATTENTION(bf16, Bf16, 128, 4)
PARITY_ATTENTION(bf16, Bf16, 128, 8)
PARITY_ATTENTION(f32, float, 256, 1)
PARITY_ATTENTION(bf16, Bf16, 256, 1)
#undef PARITY_ATTENTION

extern "C" __global__ void attention_combine_f32(const __grid_constant__ AttentionParameters p) { combine<float>(p); }
extern "C" __global__ void attention_combine_bf16(const __grid_constant__ AttentionParameters p) { combine<Bf16>(p); }

}  // namespace parity::optimized::cuda

#endif

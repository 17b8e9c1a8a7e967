// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// token_embedding: threads for each token.
#include "optimized/cuda/operand.hpp"
#include "optimized/cuda/refusal.hpp"

namespace parity::optimized::cuda {

struct TokenEmbeddingParameters {
  Operand<1> ids;                                                                                                 // (N)
  Operand<2> table, out;                                                                               // (V, H), (N, H)
  int64_t tokens, vocabulary, width;
  int64_t first, rows;          // words of the table: part of the vocabulary
  unsigned long long* refused;  // a token whose id is outside of the vocabulary
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void token_embedding(const TokenEmbeddingParameters& p) {
  const int64_t n = row_of_thread();
  if (n >= p.tokens) return;
  const int64_t id = *at<int64_t>(p.ids, n);
  if (id < 0 || id >= p.vocabulary) {
    refuse(p.refused, n);
    return;
  }
  const int64_t row = id - p.first;
  const T* word = row < 0 || row >= p.rows ? nullptr : at<T>(p.table, row);
  move_row(at<T>(p.out, n), p.out.stride[1], word, p.table.stride[1], p.width, p.vectors);
}

extern "C" __global__ void token_embedding_f32(const __grid_constant__ TokenEmbeddingParameters p) {
  token_embedding<float>(p);
}
extern "C" __global__ void token_embedding_bf16(const __grid_constant__ TokenEmbeddingParameters p) {
  token_embedding<Bf16>(p);
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/embedding/token_embedding.hpp"
#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {
namespace {

template <class T>
void token_embedding(const TokenEmbedding::Inputs& in, const TokenEmbedding::Params& params,
                     const TokenEmbedding::Outputs& out, Context& context) {
  const auto ids = in.ids.as<int64_t, 1>();                                                                     // (B*S)
  const auto table = in.table.as<T, 2>();                                                                      // (V, H)
  const auto y = out.out.as<T, 2>();                                                                         // (B*S, H)
  const int64_t tokens = ids.extent[0], width = table.extent[1];
  PARITY_CHECK(y.extent[0] == tokens && y.extent[1] == width, internal,
               "token_embedding writes {} rows of {} for {} ids and rows of {}", y.extent[0], y.extent[1], tokens,
               width);
  const int64_t words = params.vocabulary > 0 ? params.vocabulary : table.extent[0];
  const bool vectors = has_vectors(table) && has_vectors(y);
  const Refusal refusal(context);
  launch(context, row_launch("token_embedding", kernel_name<T>("token_embedding"), tokens, units_of<T>(width, vectors)),
         TokenEmbeddingParameters{operand(ids), operand(table), operand(y), tokens, words, width, params.first_word,
                                  table.extent[0], refusal.word(), vectors});
  if (const auto n = refusal.first())
    throw Error(ErrorCode::schema, fmt::format("token id {} at position {} is outside the vocabulary of {}",
                                               refusal.value(&ids(*n)), *n, words));
}

}  // namespace

void register_cuda_token_embedding(BackendKernels& kernels) {
  kernels.add<TokenEmbedding>("f32", &token_embedding<float>);
  kernels.add<TokenEmbedding>("bf16", &token_embedding<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

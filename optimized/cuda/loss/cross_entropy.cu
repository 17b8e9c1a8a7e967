// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cross_entropy: a block for each row of logits, then one block that adds up the rows, always in the same order.
#include "optimized/cuda/operand.hpp"
#include "optimized/cuda/refusal.hpp"

namespace parity::optimized::cuda {

struct CrossEntropyParameters {
  Operand<3> logits;                                                                                        // (B, S, V)
  Operand<2> labels;                                                                                           // (B, S)
  int64_t rows, tokens, offset, vocabulary;  // tokens: of a sequence that have a label
  float* terms;                              // (B tokens)
  const float* aux;                          // null without one, as `sum`
  float *sum, *loss;
  float aux_coefficient, num_items;
  unsigned long long* refused;  // a row whose label is outside of the vocabulary
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/block_max.cuh"
#include "optimized/cuda/device/block_sum.cuh"
#include "optimized/cuda/device/functions.cuh"
#include "optimized/cuda/device/row_units.cuh"

namespace parity::optimized::cuda {

constexpr int64_t kIgnoredLabel = -100;

__device__ inline int64_t label_of(const CrossEntropyParameters& p, int64_t row) {
  return *at<int64_t>(p.labels, row / p.tokens, row % p.tokens + p.offset);
}

/// log sum exp(x) - x[label], the same in every thread.
template <class T>
__device__ float term_of_row(const PlainRow<T>& x, int64_t width, int64_t label) {
  float most = -INFINITY;
  each_unit<kVector<T>>(width, [&](int64_t v, auto unit) {
    float values[unit.kElements];
    x.load(v, values);
    for (const float value : values) most = fmaxf(most, value);
  });
  const float largest = block_max(most);
  float total = 0.0F;
  each_unit<kVector<T>>(width, [&](int64_t v, auto unit) {
    float values[unit.kElements];
    x.load(v, values);
    for (const float value : values) total += exponential(value - largest);
  });
  float own[1];
  x.load(label, own);
  return logf(block_sum(total)) + (largest - own[0]);
}

template <class T>
__device__ void cross_entropy(const CrossEntropyParameters& p) {
  const int64_t row = blockIdx.x, label = label_of(p, row);
  if (label == kIgnoredLabel) return;
  if (label < 0 || label >= p.vocabulary) {
    if (threadIdx.x == 0) refuse(p.refused, row);
    return;
  }
  const PlainRow<T> x{at<T>(p.logits, row / p.tokens, row % p.tokens), p.logits.stride[2], p.vectors};
  const float term = term_of_row(x, p.vocabulary, label);
  if (threadIdx.x == 0) p.terms[row] = term;
}

extern "C" __global__ void cross_entropy_f32(const __grid_constant__ CrossEntropyParameters p) {
  cross_entropy<float>(p);
}
extern "C" __global__ void cross_entropy_bf16(const __grid_constant__ CrossEntropyParameters p) {
  cross_entropy<Bf16>(p);
}

extern "C" __global__ void cross_entropy_mean(const __grid_constant__ CrossEntropyParameters p) {
  __shared__ unsigned long long counted;
  if (threadIdx.x == 0) counted = 0;
  __syncthreads();
  float own = 0.0F;
  unsigned long long own_count = 0;
  for (int64_t row = threadIdx.x; row < p.rows; row += blockDim.x) {
    const int64_t label = label_of(p, row);
    if (label < 0 || label >= p.vocabulary) continue;
    own += p.terms[row];
    ++own_count;
  }
  atomicAdd(&counted, own_count);
  const float total = block_sum(own);  // a barrier after the count too
  if (threadIdx.x != 0) return;
  if (p.sum != nullptr) *p.sum = total;
  const float loss = total / (p.num_items > 0.0F ? p.num_items : static_cast<float>(counted));
  *p.loss = p.aux == nullptr ? loss : loss + *p.aux * p.aux_coefficient;
}

}  // namespace parity::optimized::cuda

#else

#include "core/components/loss/cross_entropy.hpp"
#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {
namespace {

float* loss_scalar(const TensorView& view) { return view.empty() ? nullptr : view.as<float, 0>().data; }

template <class T>
void cross_entropy(const CrossEntropy::Inputs& in, const CrossEntropy::Params& params, const CrossEntropy::Outputs& out,
                   Context& context) {
  constexpr uint32_t kThreads = 256, kMostThreads = 512;
  const auto logits = in.logits.as<T, 3>();                                                                 // (B, S, V)
  const auto labels = in.labels.as<int64_t, 2>();                                                              // (B, S)
  const auto [batch, sequence, vocabulary] = logits.extent;
  PARITY_CHECK(params.label_offset >= 0, usage, "label_offset is {}; 0 or more is needed", params.label_offset);
  PARITY_CHECK(labels.extent[0] == batch && labels.extent[1] >= sequence, internal,
               "cross_entropy reads {} labels for {} rows of logits", labels.extent[1], sequence);
  const int64_t tokens = std::max<int64_t>(sequence - params.label_offset, 0);
  const int64_t rows = batch * tokens;
  const Refusal refusal(context);
  const bool vectors = has_vectors(logits);
  const CrossEntropyParameters p{operand(logits),
                                 operand(labels),
                                 rows,
                                 tokens,
                                 params.label_offset,
                                 vocabulary,
                                 context.workspace->take_elements<float>(static_cast<size_t>(rows)),
                                 loss_scalar(in.aux_loss),
                                 loss_scalar(out.sum),
                                 loss_scalar(out.loss),
                                 static_cast<float>(params.aux_coefficient),
                                 static_cast<float>(params.num_items),
                                 refusal.word(),
                                 vectors};
  const uint32_t threads = threads_for(units_of<T>(vocabulary, true), kMostThreads);
  launch(context, {"cross_entropy", kernel_name<T>("cross_entropy"), {grid_extent(rows)}, {threads}}, p);
  launch(context, {"cross_entropy", "cross_entropy_mean", {1}, {kThreads}}, p);
  const auto row = refusal.first();
  if (!row) return;
  throw Error(ErrorCode::schema,
              fmt::format("label {} is outside the vocabulary of {}",
                          refusal.value(&labels(*row / tokens, *row % tokens + params.label_offset)), vocabulary));
}

}  // namespace

void register_cuda_cross_entropy(BackendKernels& kernels) {
  kernels.add<CrossEntropy>("f32", &cross_entropy<float>);
  kernels.add<CrossEntropy>("bf16", &cross_entropy<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif

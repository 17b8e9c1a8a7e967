// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/msa/naive_msa.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/components/attention/attention_block_sparse.hpp"

namespace parity::benches {
namespace {

float value_of(float x) { return x; }
float value_of(BFloat16 x) { return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16U); }
void put(float& target, float x) { target = x; }
void put(BFloat16& target, float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  target.bits = static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

/// Computes one query of one group of heads over the slots of its list: scores, softmax and mixture, head by head.
template <class T>
void one_query(const AttentionBlockSparse::Inputs& in, const AttentionBlockSparse::Params& params,
               const Span<T, 4>& out, const std::vector<int64_t>& slots, std::array<int64_t, 3> at) {  // b, g, s
  const auto [b, g, s] = at;
  const auto q = in.q.as<T, 4>(), k = in.k.as<T, 4>(), v = in.v.as<T, 4>();
  const int64_t heads = q.extent[1] / k.extent[1], width = q.extent[3];
  std::vector<float> weight(slots.size()), mixed(static_cast<size_t>(width));
  for (int64_t a = g * heads; a < (g + 1) * heads; ++a) {
    float largest = -std::numeric_limits<float>::infinity();
    for (size_t i = 0; i < slots.size(); ++i) {
      const T* query = &q(b, a, s, 0);
      const T* key = &k(b, g, slots[i], 0);
      float dot = 0.0F;
#pragma omp simd reduction(+ : dot)
      for (int64_t d = 0; d < width; ++d) dot += value_of(query[d]) * value_of(key[d]);
      weight[i] = dot * static_cast<float>(params.scale);
      largest = std::max(largest, weight[i]);
    }
    float total = 0.0F;
    for (float& w : weight) total += w = std::exp(w - largest);
    std::fill(mixed.begin(), mixed.end(), 0.0F);
    for (size_t i = 0; i < slots.size(); ++i) {
      const T* row = &v(b, g, slots[i], 0);
      float* sum = mixed.data();
#pragma omp simd
      for (int64_t d = 0; d < width; ++d) sum[d] += weight[i] * value_of(row[d]);
    }
    for (int64_t d = 0; d < width; ++d) put(out(b, s, a, d), mixed[static_cast<size_t>(d)] / total);
  }
}

template <class T>
void naive(const AttentionBlockSparse::Inputs& in, const AttentionBlockSparse::Params& params,
           const AttentionBlockSparse::Outputs& out, Context&) {
  PARITY_CHECK(in.mask.empty() && in.pairs.empty() && in.positions.empty() && params.query_slot < 0, unsupported,
               "the naive kernel does not support padding");
  const auto blocks = in.blocks.as<int64_t, 3>();                                                         // (B*X, S, T)
  const auto result = out.out.as<T, 4>();
  const int64_t batch = in.q.shape[0], groups = in.k.shape[1], queries = in.q.shape[2], all = in.k.shape[2];
  const int64_t lists = blocks.extent[0] / batch;
#pragma omp parallel for collapse(3) schedule(dynamic, 16)
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t g = 0; g < groups; ++g) {
      for (int64_t s = 0; s < queries; ++s) {
        std::vector<int64_t> slots;
        for (int64_t t = 0; t < blocks.extent[2]; ++t) {
          const int64_t first = blocks(b * lists + g * lists / groups, s, t) * params.block_size;
          for (int64_t j = std::max<int64_t>(first, 0); first >= 0 && j < first + params.block_size; ++j) {
            if (j <= all - queries + s) slots.push_back(j);
          }
        }
        one_query<T>(in, params, result, slots, {b, g, s});
      }
    }
  }
}

}  // namespace

const Registry& naive_registry() {
  static const Registry instance = [] {
    Registry built;
    built.add<AttentionBlockSparse>("naive", "f32", &naive<float>);
    built.add<AttentionBlockSparse>("naive", "bf16", &naive<BFloat16>);
    return built;
  }();
  return instance;
}

}  // namespace parity::benches

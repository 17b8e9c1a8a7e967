// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sparse attention on a GPU is computed in one of two ways, tile by tile of tokens. Both give right results, so the battery
// does not see which was taken: the counters do.
#include <map>

#include <gtest/gtest.h>

#include "benches/msa/msa_counters.hpp"
#include "optimized/cuda/modules.hpp"
#include "optimized/cuda_host/machine_place.hpp"
#include "optimized/registry.hpp"

namespace parity::benches {
namespace {

using optimized::cuda::MachinePlace;

class SparseChoiceKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!optimized::cuda::has_modules()) GTEST_SKIP() << "this build has no nvcc";
  }
  static constexpr int64_t kTokens = 256, kEarlier = 768;  // 32 tiles of 8 tokens; six key blocks before them

  /// Lists of one key block: tokens before `common` choose the first one, others one of four in turn.
  static Tensor lists(int64_t common) {
    const Tensor blocks(DType::i64, {1, 1, kTokens, 1}, "B,X,S,T");
    for (int64_t s = 0; s < kTokens; ++s) blocks.i64()[s] = s < common ? 0 : s % 4;
    return blocks;
  }

  /// Products of matrix instructions, by kernel.
  static std::map<std::string, uint64_t> products(const Tensor& blocks, const std::string& variant) {
    const AttentionShape shape{1, kTokens, kTokens + kEarlier, 16, 1, 1, 128};
    MachinePlace place(false, MachinePlace::kCapability, ptx::Fresh::zeros);
    const Call call = sparse_call(shape, DType::bf16, Values(place), blocks);
    const optimized::cuda::LaunchCounters counters;
    Prepared(call, optimized::registry_with_libraries().kernel(call.component, kCountedBackend, variant).run).run();
    std::map<std::string, uint64_t> found;
    for (const auto& launch : counters.launches()) {
      const auto made = launch.counters.total().multiply_adds;
      for (const auto& [instruction, count] : made) found[launch.what.kernel] += count;
    }
    return found;
  }
};

TEST_F(SparseChoiceKernels, TokensWithMuchInCommonAreComputedTogetherAndOthersByKeyBlock) {
  const auto together = products(lists(kTokens), "bf16"), both = products(lists(kTokens / 2), "bf16");
  const uint64_t all = together.at("attention_bf16_128_8");

  EXPECT_EQ(together.count("attention_outer_attend"), 0U);
  EXPECT_EQ(both.at("attention_bf16_128_8"), all / 2);
  EXPECT_EQ(both.at("attention_outer_attend"), all / 2) << "32 tokens of each key block are four full tiles";
}

TEST_F(SparseChoiceKernels, OfTheVariantUnionAreAlwaysComputedTogether) {
  const auto unions = products(lists(kTokens / 2), "bf16-union");

  EXPECT_EQ(unions.count("attention_outer_attend"), 0U);
  EXPECT_EQ(unions, products(lists(kTokens), "bf16-union"));
}

}  // namespace
}  // namespace parity::benches

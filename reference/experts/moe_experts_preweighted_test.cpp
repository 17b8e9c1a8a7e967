// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routed experts with weights before the down projection by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

/// A call with one channel. alpha = 0, gate weight 2 and linear weight 0 make the activation x itself: (0 + 1) 2x / 2.
TestCall experts(const std::vector<double>& x, const std::vector<double>& down, const std::vector<int64_t>& indices,
                 const std::vector<double>& weights) {
  const auto tokens = static_cast<int64_t>(x.size());
  const auto slots = static_cast<int64_t>(indices.size()) / tokens;
  std::vector<std::vector<double>> members;
  for (const double d : down) members.push_back({d});
  TestCall call("moe_experts_preweighted");
  call.in("x", {tokens, 1}, x).ids("indices", {tokens, slots}, indices).in("weights", {tokens, slots}, weights);
  call.bank("gate_up", {2, 1}, std::vector<std::vector<double>>(down.size(), {2, 0})).bank("down", {1, 1}, members);
  call.param("alpha", 0.0).param("limit", 1e4).out("sum", {tokens, 1});
  call.out("slot_activation", {tokens, slots, 1}).out("slot_weighted", {tokens, slots, 1});
  return call;
}

TEST(MoeExpertsPreweighted, WeighsTheActivationNotTheResult) {
  const auto out = experts({1}, {10, 100}, {1, 0}, {0.25, 0.75}).exact();

  EXPECT_THAT(out["slot_activation"], ElementsAre(0.25, 0.75));
  EXPECT_THAT(out["slot_weighted"], ElementsAre(25, 7.5));
  EXPECT_THAT(out["sum"], ElementsAre(32.5));
}

TEST(MoeExpertsPreweighted, RoundsTheWeightedActivationOnce) {
  // 1.0078125 squared is 1.01568..., near 1.015625 in bf16. An additional rounding of the activation would change
  // nothing; a rounding after the down projection by 128 gets the rounded product.
  const auto out = experts({1.0078125}, {128}, {0}, {1.0078125}).oracle(DType::bf16);

  EXPECT_THAT(out["slot_activation"], ElementsAre(1.015625));
  EXPECT_THAT(out["slot_weighted"], ElementsAre(130));
}

TEST(MoeExpertsPreweighted, AddsInBinary32) {
  // In bf16 256 + 1 + 1 would stay 256.
  EXPECT_THAT(experts({1}, {256, 1, 1}, {0, 1, 2}, {1, 1, 1}).oracle(DType::bf16)["sum"], ElementsAre(258));
}

TEST(MoeExpertsPreweighted, PaddingAndStrangersGetNothing) {
  TestCall call = experts({1, 1}, {10}, {0, 0, 0, 5}, {1, 1, 1, 1});
  call.ids("token_mask", {2}, {0, 1});

  const auto out = call.exact();

  EXPECT_THAT(out["sum"], ElementsAre(0, 10));
  EXPECT_THAT(out["slot_activation"], ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(out["slot_weighted"], ElementsAre(0, 0, 10, 0));
}

TEST(MoeExpertsPreweighted, AProcessAddsItsOwnExpertsOnly) {
  TestCall call = experts({1}, {1, 10, 100, 1000}, {0, 1, 2, 3}, {1, 1, 1, 1});
  call.param("first_expert", int64_t{1}).param("experts", int64_t{2});

  EXPECT_THAT(call.exact()["sum"], ElementsAre(110));
}

}  // namespace
}  // namespace parity::reference

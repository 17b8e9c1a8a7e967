// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routed experts by hand. alpha = 0, gate weight 2 and linear weight 0 make the activation x itself: (0 + 1) 2x / 2.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A call with one channel and one token x = 1; expert e multiplies by down[e].
TestCall one_token(const std::vector<double>& down, const std::vector<int64_t>& indices,
                   const std::vector<double>& weights) {
  const auto slots = static_cast<int64_t>(indices.size());
  std::vector<std::vector<double>> members;
  for (const double d : down) members.push_back({d});
  TestCall call("moe_experts");
  call.in("x", {1, 1}, {1}).ids("indices", {1, slots}, indices).in("weights", {1, slots}, weights);
  call.bank("gate_up", {2, 1}, std::vector<std::vector<double>>(down.size(), {2, 0})).bank("down", {1, 1}, members);
  call.param("alpha", 0.0).param("limit", 1e4).out("out", {1, 1});
  return call;
}

TEST(MoeExperts, SumsTheWeightedExpertsOfAToken) {
  EXPECT_THAT(one_token({10, 100, 1000}, {1, 0}, {0.25, 0.75}).exact()["out"], ElementsAre(32.5));
}

TEST(MoeExperts, ShowsEverySlotInItsOwnOrder) {
  TestCall call = one_token({10, 100}, {1, 0}, {0.25, 0.75});
  call.out("slot_activation", {1, 2, 1}).out("slot_weighted", {1, 2, 1});

  const auto out = call.exact();

  EXPECT_THAT(out["slot_activation"], ElementsAre(1, 1));
  EXPECT_THAT(out["slot_weighted"], ElementsAre(25, 7.5));
  EXPECT_THAT(out["out"], ElementsAre(32.5));
}

TEST(MoeExperts, AccumulatesInAscendingExpertIdWithRoundings) {
  // In bf16 both sums of (256 + 1) + 1 are ties that round to 256; (1 + 1) + 256 is 258.
  const TestCall ascending = one_token({256, 1, 1}, {2, 1, 0}, {1, 1, 1});
  const TestCall descending = one_token({1, 1, 256}, {2, 1, 0}, {1, 1, 1});

  EXPECT_THAT(ascending.exact()["out"], ElementsAre(258));
  EXPECT_THAT(ascending.oracle(DType::bf16)["out"], ElementsAre(256));  // in slot order it would be 258
  EXPECT_THAT(descending.oracle(DType::bf16)["out"], ElementsAre(258));
}

TEST(MoeExperts, RoundsEveryAddendBeforeItIsAdded) {
  // 1 + 2^-9 is 1 in bf16, so 1 + 9 * 2^-12 is 1; unrounded, 1 + 2^-8 + 2^-12 would go up.
  const TestCall call = one_token({1, 1}, {0, 1}, {1 + 0x1p-9, 9 * 0x1p-12});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1 + 0x1p-8 + 0x1p-12));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(1));
}

TEST(MoeExperts, WeighsTheRoundedOutputOfTheExpertInBinary32) {
  // Two inner channels, 256 and 1, are added: 257 is 256 in bf16. The weight is 1/3, in binary32.
  TestCall call("moe_experts");
  call.in("x", {1, 1}, {1}).ids("indices", {1, 1}, {0}).in("weights", {1, 1}, {1.0 / 3});
  call.bank("gate_up", {4, 1}, {{512, 2, 0, 0}}).bank("down", {1, 2}, {{1, 1}}).param("alpha", 0.0).param("limit", 1e4);
  call.out("slot_weighted", {1, 1, 1}).out("out", {1, 1});

  const auto out = call.oracle(DType::bf16);

  EXPECT_THAT(out["slot_weighted"], ElementsAre(static_cast<double>(static_cast<float>(256.0 / 3))));
  EXPECT_THAT(out["out"], ElementsAre(85.5));  // 85.33 to the grid of 1/2
}

TEST(MoeExperts, ReadsTheGatesFirstAndThenTheLinearHalf) {
  // Gates 2, 4; linear 0, 1 (times x = 1): activations 1 and (1 + 1) 4 / 2 = 4.
  TestCall call("moe_experts");
  call.in("x", {1, 1}, {1}).ids("indices", {1, 1}, {0}).in("weights", {1, 1}, {1});
  call.bank("gate_up", {4, 1}, {{2, 4, 0, 1}}).bank("down", {1, 2}, {{10, 1}}).param("alpha", 0.0);
  call.out("slot_activation", {1, 1, 2}).out("out", {1, 1});

  const auto out = call.exact();

  EXPECT_THAT(out["slot_activation"], ElementsAre(1, 4));
  EXPECT_THAT(out["out"], ElementsAre(14));
}

/// A call with silu(gate) up, the activation of other models: the gate is -3, the linear half 100.
TestCall silu_expert() {
  TestCall call("moe_experts");
  call.in("x", {1, 1}, {1}).ids("indices", {1, 1}, {0}).in("weights", {1, 1}, {1});
  call.bank("gate_up", {2, 1}, {{-3, 100}}).bank("down", {1, 1}, {{1}}).param("alpha", 1.0);
  call.param("limit", std::numeric_limits<double>::infinity()).param("linear_offset", 0.0);
  call.out("slot_activation", {1, 1, 1}).out("out", {1, 1});
  return call;
}

TEST(MoeExperts, WithoutLimitAndOffsetTheActivationIsSiluTimesUp) {
  EXPECT_THAT(silu_expert().exact()["slot_activation"], ElementsAre(DoubleEq(-300 / (1 + std::exp(3.0)))));
}

TEST(MoeExperts, SiluRoundsOnceAndTheProductAgain) {
  // Gate and up are 131/128: silu 0.752883 -> 193/256, times 131/128 = 197.5/256 -> 198/256, a tie that goes up.
  // Without the first rounding 197.26/256 -> 197/256; with a rounded sigmoid (188/256) 196/256.
  TestCall call("moe_experts");
  call.in("x", {1, 1}, {1}).ids("indices", {1, 1}, {0}).in("weights", {1, 1}, {1});
  call.bank("gate_up", {2, 1}, {{131.0 / 128, 131.0 / 128}}).bank("down", {1, 1}, {{1}}).param("alpha", 1.0);
  call.param("limit", std::numeric_limits<double>::infinity()).param("linear_offset", 0.0).out("out", {1, 1});
  RoundingTable one_operation{{"moe_experts.sigmoid", Precision::single}};

  EXPECT_THAT(call.oracle(DType::bf16, one_operation)["out"], ElementsAre(198.0 / 256));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(196.0 / 256));
  one_operation["moe_experts.gated"] = Precision::single;
  EXPECT_THAT(call.oracle(DType::bf16, one_operation)["out"], ElementsAre(197.0 / 256));
}

TEST(MoeExperts, RoundsTheHiddenLayerBeforeTheActivation) {
  // Gate 257 is 256 in bf16: activation 128 instead of 128.5, which bf16 could hold.
  TestCall call("moe_experts");
  call.in("x", {1, 2}, {256, 1}).ids("indices", {1, 1}, {0}).in("weights", {1, 1}, {1});
  call.bank("gate_up", {2, 2}, {{1, 1, 0, 0}}).bank("down", {2, 1}, {{1, 0}}).param("alpha", 0.0).param("limit", 1e4);
  call.out("slot_activation", {1, 1, 1}).out("out", {1, 2});

  EXPECT_THAT(call.exact()["slot_activation"], ElementsAre(128.5));
  EXPECT_THAT(call.oracle(DType::bf16)["slot_activation"], ElementsAre(128));
}

TEST(MoeExperts, ExpertsWithoutTokensAreNeverLoaded) {
  const TestCall call = one_token({10, 100, 1000}, {2, 0}, {1, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1010));
  EXPECT_THAT(call.bank_of("gate_up").asked, ElementsAre(0, 2));
  EXPECT_THAT(call.bank_of("down").asked, ElementsAre(0, 2));
}

TEST(MoeExperts, SentinelIdsAreSkipped) {
  EXPECT_THAT(one_token({10, 100}, {2, 1, -1}, {5, 1, 7}).exact()["out"], ElementsAre(100));
}

TEST(MoeExperts, TokensWithoutExpertsAreZero) {
  const TestCall call = one_token({10, 100}, {2, 2}, {1, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(0));
  EXPECT_THAT(call.bounded()["out"], ElementsAre(0));
  EXPECT_THAT(call.bank_of("down").asked, IsEmpty());
}

TEST(MoeExperts, EveryTokenHasItsOwnExperts) {
  TestCall call("moe_experts");
  call.in("x", {3, 1}, {1, 2, 3}).ids("indices", {3, 1}, {1, 0, 1}).in("weights", {3, 1}, {1, 1, 0.5});
  call.bank("gate_up", {2, 1}, {{2, 0}, {2, 0}}).bank("down", {1, 1}, {{10}, {100}}).param("alpha", 0.0);
  call.out("out", {3, 1}).out("slot_weighted", {3, 1, 1});

  const auto out = call.exact();

  EXPECT_THAT(out["out"], ElementsAre(100, 20, 150));
  EXPECT_THAT(out["slot_weighted"], ElementsAre(100, 20, 150));
}

TEST(MoeExperts, ServesMoreTokensThanItsTile) {  // a tile has 256 slots
  constexpr int64_t kTokens = 600;
  TestCall call("moe_experts");
  call.in("x", {kTokens, 1}, std::vector<double>(kTokens, 3))
      .ids("indices", {kTokens, 1}, std::vector<int64_t>(kTokens, 0));
  call.in("weights", {kTokens, 1}, std::vector<double>(kTokens, 0.5))
      .bank("gate_up", {2, 1}, {{2, 0}})
      .bank("down", {1, 1}, {{10}});
  call.param("alpha", 0.0).out("out", {kTokens, 1}).out("slot_activation", {kTokens, 1, 1});

  EXPECT_THAT(call.exact()["out"], Each(15.0));
  EXPECT_THAT(call.exact()["slot_activation"], Each(3.0));
}

}  // namespace
}  // namespace parity::reference

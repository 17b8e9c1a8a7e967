// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Lightning attention by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/profile.hpp"
#include "core/random.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

/// One sequence, one head, decay 1/2 per token, blocks of `size` tokens; q, k and v are (S, D).
TestCall half_life(int64_t tokens, int64_t width, int64_t size, const std::vector<double>& q,
                   const std::vector<double>& k, const std::vector<double>& v) {
  std::vector<double> query;
  std::vector<double> key;
  std::vector<double> diagonal;
  for (int64_t i = 1; i <= size; ++i) {
    query.push_back(std::ldexp(1.0, static_cast<int>(-i)));
    key.push_back(std::ldexp(1.0, static_cast<int>(i - size)));
    for (int64_t j = 1; j <= size; ++j) diagonal.push_back(i >= j ? std::ldexp(1.0, static_cast<int>(j - i)) : 0.0);
  }
  TestCall call("lightning_attention");
  const Shape shape{1, 1, tokens, width};
  call.in("q", shape, q).in("k", shape, k).in("v", shape, v);
  call.in("slope_rate", {1, 1, 1}, {std::log(2.0)})
      .in("query_decay", {1, size, 1}, query)
      .in("key_decay", {1, size, 1}, key)
      .in("diagonal_decay", {1, 1, size, size}, diagonal);
  call.out("intra", shape).out("inter", shape).out("out", shape);
  call.out("block_states", {1 + (tokens + size - 1) / size, 1, 1, width, width}).out("state", {1, 1, width, width});
  return call;
}

/// A call as half_life(), but with a cached state.
TestCall on_state(const std::vector<double>& past, int64_t tokens, int64_t width, const std::vector<double>& q,
                  const std::vector<double>& k, const std::vector<double>& v) {
  TestCall call = half_life(tokens, width, 1, q, k, v);
  call.in("past", {1, 1, width, width}, past).forget("intra").forget("inter");
  return call;
}

TEST(LightningAttention, CurrentTokenWeighsOneAndEarlierOnesDecay) {
  // k v = 2, 3, 5: states 2, 1 + 3, 2 + 5.
  const TestOutputs out = half_life(3, 1, 3, {1, 1, 10}, {1, 1, 1}, {2, 3, 5}).exact();

  EXPECT_THAT(out["out"], ElementsAre(DoubleEq(2), DoubleEq(4), DoubleEq(70)));
  EXPECT_THAT(out["state"], ElementsAre(DoubleEq(7)));
}

TEST(LightningAttention, AddsOwnBlockAndStateInFrontOfIt) {
  const TestOutputs out = half_life(3, 1, 2, {1, 1, 10}, {1, 1, 1}, {2, 3, 5}).exact();

  EXPECT_THAT(out["intra"], ElementsAre(DoubleEq(2), DoubleEq(4), DoubleEq(50)));
  EXPECT_THAT(out["inter"], ElementsAre(0, 0, DoubleEq(20)));
  EXPECT_THAT(out["out"], ElementsAre(DoubleEq(2), DoubleEq(4), DoubleEq(70)));
}

TEST(LightningAttention, PartialBlockTakesTheLastKeyDecays) {
  // The last block has one token: it decays the state by one token and adds its own k v with weight 1.
  const TestOutputs out = half_life(3, 1, 2, {1, 1, 1}, {1, 1, 1}, {2, 3, 5}).exact();

  EXPECT_THAT(out["block_states"], ElementsAre(0, DoubleEq(4), DoubleEq(7)));
}

TEST(LightningAttention, StateIsKeysTimesValues) {
  const TestOutputs out = half_life(1, 2, 1, {0, 1}, {1, 2}, {10, 100}).exact();

  EXPECT_THAT(out["state"], ElementsAre(10, 100, 20, 200));
  EXPECT_THAT(out["out"], ElementsAre(20, 200));
}

TEST(LightningAttention, CachedStateIsContinuedTokenByToken) {
  const TestOutputs out = on_state({8}, 2, 1, {1, 1}, {1, 1}, {2, 3}).exact();

  EXPECT_THAT(out["block_states"], ElementsAre(8, DoubleEq(6), DoubleEq(6)));
  EXPECT_THAT(out["out"], ElementsAre(DoubleEq(6), DoubleEq(6)));
  EXPECT_THAT(out["state"], ElementsAre(DoubleEq(6)));
}

TEST(LightningAttention, BlocksOfAnySizeAgreeWithTheRecurrence) {
  const Random random(7, "lightning");
  std::vector<double> q;
  std::vector<double> k;
  std::vector<double> v;
  for (uint64_t i = 0; i < 10; ++i) {
    q.push_back(random.normal(3 * i));
    k.push_back(random.normal(3 * i + 1));
    v.push_back(random.normal(3 * i + 2));
  }
  const TestOutputs tokens = on_state({0, 0, 0, 0}, 5, 2, q, k, v).exact();
  for (const int64_t size : {1, 2, 3, 5, 8}) {
    SCOPED_TRACE(size);
    const TestOutputs blocks = half_life(5, 2, size, q, k, v).exact();

    for (size_t i = 0; i < 10; ++i) EXPECT_THAT(blocks["out"][i], DoubleNear(tokens["out"][i], 1e-14));
    for (size_t i = 0; i < 4; ++i) EXPECT_THAT(blocks["state"][i], DoubleNear(tokens["state"][i], 1e-14));
  }
}

TEST(LightningAttention, StateIsRoundedToTEveryToken) {
  // 256 / 2 = 128 and 129/128 * 129/128 = 260.02 / 256, in bf16 1.015625: 129.015625 rounds to 129.
  const TestCall call = on_state({256}, 1, 1, {1}, {129.0 / 128}, {129.0 / 128});

  EXPECT_EQ(call.oracle(DType::bf16).only("state"), 129.0);
  EXPECT_THAT(call.exact().only("state"), DoubleEq(128 + 129.0 * 129 / 128 / 128));
}

TEST(LightningAttention, OriginalKeepsTheStateInBinary32AndReadsItInT) {
  const RoundingTable& original = find_profile("minimax_text_01", "original").rounding;
  const TestCall call = on_state({256}, 1, 1, {1}, {129.0 / 128}, {129.0 / 128});

  const TestOutputs out = call.oracle(DType::bf16, original);

  EXPECT_EQ(out.only("state"), 129.015625);
  EXPECT_EQ(out.only("out"), 129.0);
}

TEST(LightningAttention, OriginalRoundsTheOutputOfABlockOnce) {
  // q k = 1, v = 129/128. For the second token, the part from its own block is 3/2 of v, 193.5 / 128 in binary32. The
  // package rounds it to bf16, 194 / 128, before it adds the part from the state.
  const double v = 129.0 / 128;
  TestCall call = half_life(3, 1, 2, {0, 1, 0}, {1, 1, 1}, {v, v, 0});

  EXPECT_EQ(call.oracle(DType::bf16)["intra"][1], 194.0 / 128);
  EXPECT_EQ(call.oracle(DType::bf16, find_profile("minimax_text_01", "original").rounding)["intra"][1], 193.5 / 128);
}

TEST(LightningAttention, PaddingOfACachedCallEntersTheState) {
  // There is no mask operand: a padded token in a later call decays the state and adds its own k v.
  EXPECT_THAT(on_state({8}, 1, 1, {0}, {1}, {2}).exact()["state"], ElementsAre(DoubleEq(6)));
}

TEST(LightningAttention, PaddedPrefillStillDecays) {
  // Masked values add nothing, but the state of a right-padded row still decays over the padding. So decoding after a
  // padded prefill differs from decoding without padding, as in the package.
  EXPECT_THAT(half_life(3, 1, 3, {0, 0, 0}, {1, 1, 1}, {8, 0, 0}).exact()["state"], ElementsAre(DoubleEq(2)));
}

}  // namespace
}  // namespace parity::reference

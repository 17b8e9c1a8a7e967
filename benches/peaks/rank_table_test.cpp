// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counts of M3 at its published size against figures worked out by hand: 60 layers, 57 of them with 128 experts.
#include "benches/peaks/rank_table.hpp"

#include <gtest/gtest.h>

namespace parity::benches {
namespace {

constexpr double kHidden = 6144, kExpert = 3.0 * 3072 * kHidden;  // elements of one expert
constexpr double kHeads = 64 * 128, kKeys = 4 * 128;

/// Products and sums of the linear layers and experts of all layers for one token.
double flops_of_a_token() {
  const double attention = kHidden * (kHeads + 2 * kKeys) + kHeads * kHidden, index = kHidden * (kKeys + 128);
  const double dense = 3.0 * 12288 * kHidden, router = 128 * kHidden;
  return 2.0 * (60 * attention + 57 * (index + router + 5 * kExpert) + 3 * dense);
}

TEST(RankTable, OneRankDecodesWithTheProductsOfItsParameters) {
  const RankRow row = count_ranks("m3", {}, {"decode", 1, 1, 256});

  const double attention = 60 * 4.0 * kHeads * 256 + 57 * 2.0 * kKeys * 256;
  EXPECT_NEAR(row.flops / (flops_of_a_token() + attention), 1.0, 1e-3);
  EXPECT_EQ(row.sent, 0);
  EXPECT_EQ(row.exchanges, 0);
}

TEST(RankTable, AModelOf428BillionParametersIsHeld) {
  const RankRow row = count_ranks("m3", {}, {"decode", 1, 1, 256});

  EXPECT_NEAR(row.held / 2e9, 425, 3) << "without embedding and head";
}

TEST(RankTable, EightTensorRanksHaveAnEighthOfTheExpertsAndSendRings) {
  const RankRow one = count_ranks("m3", {}, {"decode", 1, 1, 256}),
                row = count_ranks("m3", {.tp = 8, .rules = "vllm"}, {"decode", 1, 1, 256});

  EXPECT_NEAR(row.held / one.held, 0.125, 0.01);
  EXPECT_EQ(row.exchanges, 60 + 57 + 60) << "attention, experts, and shared experts or MLP";
  EXPECT_EQ(row.sent, 2.0 * 7 / 8 * 2 * kHidden * static_cast<double>(row.exchanges)) << "rings of one token in bf16";
}

TEST(RankTable, DispatchedTokensSendTheRowsThatAnEvenChoiceAsksFor) {
  const Layout layout{.ep = 8, .dp = 8, .rules = "vllm", .dispatch = kAllToAll};
  const RankRow row = count_ranks("m3", layout, {"decode", 64, 1, 256});

  double missed = 1.0;  // no expert of 4 among the 16 of 128 that a rank has
  for (int t = 0; t < 4; ++t) missed *= (112.0 - t) / (128.0 - t);
  constexpr double kTokens = 8, kOthers = 7, kSlots = 4;
  const double sent_rows = kTokens * kOthers * (1.0 - missed);
  const double there = sent_rows * (2 * kHidden + 4 * kSlots) + kTokens * kOthers * kSlots * 8;  // rows, weights, ids
  const double back = sent_rows * 2 * kHidden;
  EXPECT_NEAR(row.sent, 57 * (there + back), 1e-4 * row.sent);
}

TEST(RankTable, SaysWhichCallsALayoutDoesNotDivide) {
  const RankRow row = count_ranks("m3", {.cp = 8, .rules = "vllm"}, {"decode", 1, 1, 256});

  EXPECT_EQ(row.why, "a single token is not divided: every rank computes it");
  const std::string text = rank_markdown("m3", {row}, ptx::gpu("h200"));
  EXPECT_NE(text.find("- cp 8: a single token is not divided: every rank computes it (decode on 256)\n"),
            std::string::npos)
      << text;
}

TEST(RankTable, TheBoundIsTheLargestTime) {
  RankRow row;
  row.flops = 1e15;
  row.least = row.unfused = 1e12;
  row.sent = 1e9;
  const ptx::Gpu& gpu = ptx::gpu("h200");

  EXPECT_STREQ(times_of(row, gpu).bound(), "compute");
  EXPECT_NEAR(times_of(row, gpu).compute, 1.0 / 0.9894, 1e-3);
  row.least = 6e12;
  EXPECT_STREQ(times_of(row, gpu).bound(), "memory");
  row.sent = 1e12;
  EXPECT_STREQ(times_of(row, gpu).bound(), "links");
  EXPECT_NEAR(times_of(row, gpu).links, 1e12 / 450e9, 1e-9);
}

}  // namespace
}  // namespace parity::benches

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/goldens/logits.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "compare/testing/sample_values.hpp"

namespace parity::compare {
namespace {

using tests::by_hand;

TEST(Logits, AlikeHaveNoDivergence) {
  const Logits logits = compare_logits(by_hand({1, 2, 3, 4}, 2, 0, 0).values());

  EXPECT_EQ(logits.tokens, 2);
  EXPECT_EQ(logits.top1_agree, 2);
  EXPECT_EQ(logits.kl_max, 0.0);
  EXPECT_EQ(logits.flip_margin, 0.0);
}

TEST(Logits, ShiftedByAConstantAreTheSameDistribution) {
  auto sample = by_hand({1, 2, 3, 4}, 4, 0, 0);
  for (double& x : sample.got) x += 100.0;

  EXPECT_NEAR(compare_logits(sample.values()).kl_max, 0.0, 1e-12);
}

TEST(Logits, DivergenceIsThatOfTheReferenceFromTheCandidate) {
  // Reference probabilities 3/4 and 1/4, candidate 1/2 and 1/2: KL = 3/4 ln(3/2) + 1/4 ln(1/2).
  auto sample = by_hand({std::log(3.0), 0.0}, 2, 0, 0);
  sample.got = {0.0, 0.0};

  EXPECT_NEAR(compare_logits(sample.values()).kl_max, 0.75 * std::log(1.5) + 0.25 * std::log(0.5), 1e-12);
}

TEST(Logits, AnotherWordIsReportedWithTheLeadThatItOvertook) {
  auto sample = by_hand({1.0, 1.25, 0.0, 5.0, 0.0, 0.0}, 3, 0, 0);
  sample.got = {1.5, 1.25, 0.0, 5.0, 0.0, 0.0};
  const Logits logits = compare_logits(sample.values());

  EXPECT_EQ(logits.tokens, 2);
  EXPECT_EQ(logits.top1_agree, 1);
  EXPECT_EQ(logits.flip_margin, 0.25);
}

TEST(Logits, OfATokenWithNaNAreLeftOut) {
  auto sample = by_hand({1, 2, 3, 4}, 2, 0, 0);
  sample.got[0] = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(compare_logits(sample.values()).tokens, 1);
}

}  // namespace
}  // namespace parity::compare

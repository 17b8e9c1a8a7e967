// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loss of further tokens by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

/// A loss of two depths over three tokens with a vocabulary of two; uniform logits cost log 2 each.
TestCall loss(const std::vector<int64_t>& labels) {
  TestCall call("mtp_loss");
  for (int depth = 0; depth < 2; ++depth) call.in("logits", {1, 3, 2}, {0, 0, 0, 0, 0, 0});
  call.ids("labels", {1, 3}, labels).param("factor", 1.0).out("loss", {});
  return call;
}

TEST(MtpLoss, EveryDepthLosesOneMoreLabelAndAllShareTheDivisor) {
  EXPECT_DOUBLE_EQ(loss({0, 1, 0}).exact().only("loss"), 0.5 * (2 + 1) / 3.0 * std::log(2.0));
}

TEST(MtpLoss, IgnoredLabelsCountNowhere) {
  EXPECT_DOUBLE_EQ(loss({0, 1, -100}).exact().only("loss"), 0.5 * 1 / 2.0 * std::log(2.0));
}

TEST(MtpLoss, LabelsOfAnotherDocumentDoNotCount) {
  EXPECT_DOUBLE_EQ(loss({0, 1, 0}).ids("documents", {1, 3}, {0, 0, 1}).exact().only("loss"),
                   0.5 * 1 / 3.0 * std::log(2.0));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Heads of lightning attention's projection by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(LightningSplit, SplitsPerHeadNotInGlobalThirds) {
  // Two tokens, two heads with one channel: head 0 has channels 0 to 2, head 1 has 3 to 5.
  TestCall call("lightning_split");
  call.in("qkv", {1, 2, 6}, {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16});
  for (const char* part : {"q", "k", "v"}) call.out(part, {1, 2, 2, 1});

  const TestOutputs out = call.exact();

  EXPECT_THAT(out["q"], ElementsAre(1, 11, 4, 14));
  EXPECT_THAT(out["k"], ElementsAre(2, 12, 5, 15));
  EXPECT_THAT(out["v"], ElementsAre(3, 13, 6, 16));
}

TEST(LightningSplit, KeepsTheChannelsOfAHeadTogether) {
  TestCall call("lightning_split");
  call.in("qkv", {1, 1, 6}, {1, 2, 3, 4, 5, 6});
  for (const char* part : {"q", "k", "v"}) call.out(part, {1, 1, 1, 2});

  EXPECT_THAT(call.exact()["k"], ElementsAre(3, 4));
}

}  // namespace
}  // namespace parity::reference

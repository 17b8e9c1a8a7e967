// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Local expert ids by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(LocalExperts, ExpertsOfOtherRanksAreNone) {
  TestCall call("local_experts");
  call.ids("indices", {3, 2}, {1, 2, 2, 1, 3, 0}).param("first", int64_t{2}).param("count", int64_t{2});
  call.out("out", {3, 2});

  EXPECT_THAT(call.exact().ids("out"), ElementsAre(2, 0, 0, 2, 1, 2));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rows of routed tokens by hand.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

TEST(Dispatch, HasTheRowsOfItsExpertsByRankAndTokenAndReadsNoOthers) {
  TestCall call("dispatch");  // experts 2 and 3 are the rank's; two ranks have two tokens each
  call.in("parts", {2, 2}, {1, 2, kNowhere, kNowhere}).in("parts", {2, 2}, {kNowhere, kNowhere, 5, 6});
  call.ids("indices", {4, 2}, {0, 2, 0, 1, 1, 4, 3, 2});
  call.param("first", int64_t{2}).param("count", int64_t{2}).out("out", {4, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 2, 0, 0, 0, 0, 5, 6));
}

TEST(Dispatch, RoundsNothing) {
  TestCall call("dispatch");
  call.in("parts", {1, 1}, {1.0 + 1.0 / 4096}).ids("indices", {1, 1}, {0}).out("out", {1, 1});

  EXPECT_EQ(call.oracle(DType::bf16).only("out"), 1.0 + 1.0 / 4096);
}

TEST(Dispatch, RefusesMoreRowsThanTheIndicesHave) {
  TestCall call("dispatch");
  call.in("parts", {2, 1}, {1, 2}).ids("indices", {1, 1}, {0}).out("out", {2, 1});
  ErrorCode code{};

  EXPECT_THAT(error_of(code, [&] { static_cast<void>(call.exact()); }),
              HasSubstr("the parts have more rows than the 1 of the indices"));
}

}  // namespace
}  // namespace parity::reference

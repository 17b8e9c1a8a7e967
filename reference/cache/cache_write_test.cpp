// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cache write by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/refusal.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CacheWrite, TheFirstCallFillsTheFrontOfABufferOfZeros) {
  TestCall call("cache_write");
  call.in("fresh", {1, 2, 2, 1}, {1, 2, 3, 4}).out("out", {1, 2, 4, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 2, 0, 0, 3, 4, 0, 0));
}

TEST(CacheWrite, LaterCallsWriteBehindTheFilledSlots) {
  TestCall call("cache_write");
  call.param("filled", int64_t{1})
      .in("past", {1, 1, 4, 2}, {1, 2, 0, 0, 0, 0, 0, 0})
      .in("fresh", {1, 1, 2, 2}, {3, 4, 5, 6})
      .out("out", {1, 1, 4, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 2, 3, 4, 5, 6, 0, 0));
}

TEST(CacheWrite, KeepsWhatStandsBehindTheFreshTokens) {  // a buffer that was used before and not cleared
  TestCall call("cache_write");
  call.in("past", {1, 1, 3, 1}, {7, 8, 9}).in("fresh", {1, 1, 1, 1}, {1}).out("out", {1, 1, 3, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 8, 9));
}

TEST(CacheWrite, KeepsBatchesAndHeadsApart) {
  TestCall call("cache_write");
  call.param("filled", int64_t{1})
      .in("past", {2, 2, 2, 1}, {1, 0, 2, 0, 3, 0, 4, 0})
      .in("fresh", {2, 2, 1, 1}, {10, 20, 30, 40})
      .out("out", {2, 2, 2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 10, 2, 20, 3, 30, 4, 40));
}

TEST(CacheWrite, CopiesBitForBit) {
  TestCall call("cache_write");
  call.param("filled", int64_t{1}).in("past", {1, 1, 2, 1}, {1.0 / 3, 0}).in("fresh", {1, 1, 1, 1}, {-0.0});
  call.out("out", {1, 1, 2, 1});

  const auto out = call.oracle(DType::bf16)["out"];

  EXPECT_EQ(out[0], 1.0 / 3);
  EXPECT_TRUE(std::signbit(out[1]));
  EXPECT_EQ(call.bounded().rounding.at("out").f64()[0], 0.0);
}

TEST(CacheWrite, RefusesTokensBehindTheBuffer) {
  TestCall call("cache_write");
  call.param("filled", int64_t{2}).in("past", {1, 1, 3, 1}, {1, 2, 0}).in("fresh", {1, 1, 2, 1}, {3, 4});
  call.out("out", {1, 1, 3, 1});

  EXPECT_THAT(refusal_of(ErrorCode::schema, [&] { return call.exact(); }),
              HasSubstr("slots 2 to 3 are written to a buffer of 3"));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Pooling by hand: the row of position s contains s and 10 s; the pad token is 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TestCall pool(const std::vector<int64_t>& ids, int64_t batch, int64_t pad_token = 0) {
  const auto places = static_cast<int64_t>(ids.size()) / batch;
  std::vector<double> rows;
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto s = static_cast<double>(static_cast<int64_t>(i) % places);
    rows.insert(rows.end(), {s, 10 * s});
  }
  TestCall call("pool_last_token");
  call.in("x", {batch, places, 2}, rows).ids("ids", {batch, places}, ids).param("pad_token", pad_token);
  call.out("position", {batch}).out("out", {batch, 2});
  return call;
}

TEST(PoolLastToken, IsTheLastThatIsNoPadding) {
  const auto result = pool({7, 8, 0, 0, 7, 8, 9, 7}, 2).exact();

  EXPECT_THAT(result.ids("position"), ElementsAre(1, 3));
  EXPECT_THAT(result["out"], ElementsAre(1, 10, 3, 30));
}

TEST(PoolLastToken, PaddingInFrontAndInsideDoesNotMatter) {
  EXPECT_THAT(pool({0, 0, 7, 8, 7, 0, 9, 0}, 2).exact().ids("position"), ElementsAre(3, 2));
}

TEST(PoolLastToken, NothingButPaddingIsTheFirstPlace) {
  EXPECT_THAT(pool({0, 0, 0}, 1).exact().ids("position"), ElementsAre(0));
}

TEST(PoolLastToken, WithoutAPadTokenTheLastPlaceSpeaksForOneSequenceOnly) {
  ErrorCode code{};

  EXPECT_THAT(pool({7, 0, 0}, 1, -1).exact().ids("position"), ElementsAre(2));
  EXPECT_THAT(error_of(code, [] { return pool({7, 0, 7, 0}, 2, -1).exact(); }), HasSubstr("no pad_token_id"));
  EXPECT_EQ(code, ErrorCode::schema);
}

}  // namespace
}  // namespace parity::reference

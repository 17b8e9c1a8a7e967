// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Token embedding by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TestCall gather(const std::vector<int64_t>& ids) {
  TestCall call("token_embedding");
  call.ids("ids", {1, static_cast<int64_t>(ids.size())}, ids).in("table", {3, 2}, {1, 2, 3, 4, 1.0 / 3, 6});
  call.out("out", {1, static_cast<int64_t>(ids.size()), 2});
  return call;
}

TEST(TokenEmbedding, GathersRowsWithRepetition) {
  EXPECT_THAT(gather({2, 0, 2}).exact()["out"], ElementsAre(1.0 / 3, 6, 1, 2, 1.0 / 3, 6));
}

TEST(TokenEmbedding, WordsOfOtherRanksAreZero) {
  TestCall call = gather({2, 4, 5});
  call.param("first_word", int64_t{2}).param("vocabulary", int64_t{6});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 2, 1.0 / 3, 6, 0, 0));
}

TEST(TokenEmbedding, RoundsNothing) {
  const TestCall call = gather({2});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(1.0 / 3, 6));  // the table is in T already
  EXPECT_EQ(call.bounded().rounding.at("out").f64()[0], 0.0);
}

TEST(TokenEmbedding, IdsOutsideTheTableAreAnError) {
  ErrorCode code{};

  EXPECT_THAT(error_of(code,
                       [] {
                         return gather({0, 3}).exact();
                       }),
              HasSubstr("token id 3 at position 1 is outside the vocabulary of 3"));
  EXPECT_EQ(code, ErrorCode::schema);
  EXPECT_THAT(error_of(code, [] { return gather({-1}).exact(); }), HasSubstr("token id -1"));
  EXPECT_EQ(code, ErrorCode::schema);
}

}  // namespace
}  // namespace parity::reference

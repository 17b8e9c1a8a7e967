// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counts and flags must be equal.
#include "compare/judging/integers.hpp"

#include <gtest/gtest.h>

namespace parity::compare {
namespace {

Record judged(int64_t expected, int64_t got, const OpenIntegers& open = {}) {
  Record record;
  record.axes = "E";
  record.shape = {1};
  Tensor reference(DType::i64, {1});
  Tensor candidate(DType::i64, {1});
  reference.i64()[0] = expected;
  candidate.i64()[0] = got;
  judge_integers(reference, candidate, open, record);
  return record;
}

TEST(Integers, EqualOnesPassBitForBit) {
  const Record record = judged(7, 7);

  EXPECT_EQ(record.status, Status::pass);
  EXPECT_EQ(record.bit_equal.equal, 1);
  EXPECT_EQ(record.budget_used, 0.0);
}

TEST(Integers, OneMoreFailsAndSaysWhatWasExpected) {
  const Record record = judged(7, 8);

  EXPECT_EQ(record.status, Status::fail);
  EXPECT_EQ(record.failed, 1);
  EXPECT_EQ(record.worst.exact, 7.0);
  EXPECT_EQ(record.worst.got, 8.0);
}

/// Judges counts {7 + first, 7 + second} against {7, 7} when an open choice can move two tokens.
Record moved(int64_t first, int64_t second) {
  Record record;
  record.axes = "E";
  record.shape = {2};
  Tensor reference(DType::i64, {2});
  Tensor candidate(DType::i64, {2});
  reference.i64()[0] = reference.i64()[1] = 7;
  candidate.i64()[0] = 7 + first;
  candidate.i64()[1] = 7 + second;
  judge_integers(reference, candidate, {{true, true}, 2}, record);
  return record;
}

TEST(Integers, BehindOpenChoicesTheyDifferByTheTokensThatThoseReach) {
  EXPECT_EQ(moved(2, -2).status, Status::pass);
  EXPECT_EQ(moved(2, -2).undecided.deviating, 2);
  EXPECT_EQ(moved(3, -3).status, Status::fail);
  EXPECT_EQ(judged(7, 9, {{false}, 2}).status, Status::fail);
}

TEST(Integers, TheTotalOfCountsHangsOnNoChoice) {
  EXPECT_EQ(moved(1, 0).status, Status::fail);
  EXPECT_EQ(moved(1, 0).reason,
            "counts depend on ids that were not recorded, but their sum does not; the sum is off by 1");
}

/// Ids of a choice that is not recorded: any other may stand there, elsewhere none.
TEST(Integers, OpenIdsKeepNoSumAndNoDistance) {
  EXPECT_EQ(judged(7, 99, {{true}, 0, true}).status, Status::pass);
  EXPECT_EQ(judged(7, 99, {{false}, 0, true}).status, Status::fail);
}

}  // namespace
}  // namespace parity::compare

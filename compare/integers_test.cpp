// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counts and flags are equal or wrong.
#include "compare/integers.hpp"

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

TEST(Integers, BehindOpenChoicesTheyDifferByTheTokensThatThoseReach) {
  const OpenIntegers open{{true}, 2};

  EXPECT_EQ(judged(7, 9, open).status, Status::pass);
  EXPECT_EQ(judged(7, 9, open).undecided.deviating, 1);
  EXPECT_EQ(judged(7, 10, open).status, Status::fail);
  EXPECT_EQ(judged(7, 9, {{false}, 2}).status, Status::fail);
}

}  // namespace
}  // namespace parity::compare

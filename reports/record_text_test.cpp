// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/record_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/sample_report.hpp"

namespace parity::reports {
namespace {

using compare::Status;
using ::testing::HasSubstr;

TEST(RecordText, FailureIsFourLinesWithTheReproLast) {
  EXPECT_EQ(failing_text(testing::failing_record()),
            "FAIL steps/000/text/layers/07/input_norm/out   rms_norm  bf16 (S=17,H=6144)   200% of budget   3/104448 "
            "elements\n"
            "     worst [s=11,h=4097]  exact 0.24871 → bf16 0.24902   got 0.25195   2 ulp\n"
            "     where all 3 in s=11, h=4096..4127: one warp's 32 columns\n"
            "     repro parity repro 'm3<a&b>#steps/000/text/layers/07/input_norm/out' --candidate cuda:warp");
}

TEST(RecordText, ChoiceShowsItsContractInPlaceOfAnElement) {
  const std::string text = failing_text(testing::choosing_record());

  EXPECT_THAT(text, HasSubstr("router  i64 (N=34,K=4)   2/34 rows break the contract"));
  EXPECT_THAT(text,
              HasSubstr("ids   must 130, may 6, must not 900; 1 flips where 0.25 are expected; score error 0.001"));
  EXPECT_THAT(text, HasSubstr("where row 5; id 7 is beyond twice the score error"));
}

TEST(RecordText, ChainedFailureTellsInheritedFromAdded) {
  const std::string text = failing_text(testing::chained_record());

  EXPECT_THAT(text, HasSubstr("rms_norm [chained]"));
  EXPECT_THAT(text, HasSubstr("NaN% of budget"));
  EXPECT_THAT(text, HasSubstr("got -Infinity"));
  EXPECT_THAT(text, HasSubstr("relative error Infinity: inherited 0.03, added 0.0012"));
}

TEST(RecordText, WhatWasNotJudgedHasAReasonAndNoNumbers) {
  EXPECT_EQ(failing_text(testing::plain_record(Status::error, "steps/000/b", "kernel\nthrew")),
            "ERROR steps/000/b   experts_hf\n"
            "     why   kernel?threw\n"
            "     repro parity repro 'm3<a&b>#steps/000/b'");
}

TEST(RecordText, OnlyAPassAndAnExplainedSkipAreNotFailures) {
  EXPECT_EQ(outcome_of(Status::pass, ""), Outcome::passed);
  EXPECT_EQ(outcome_of(Status::skipped, "needs a GPU"), Outcome::skipped);
  EXPECT_EQ(outcome_of(Status::not_recorded, ""), Outcome::skipped);
  EXPECT_EQ(outcome_of(Status::skipped, ""), Outcome::failed);
  EXPECT_EQ(outcome_of(Status::unimplemented, "later"), Outcome::failed);
  EXPECT_EQ(outcome_of(Status::mistrusted, "vacuous"), Outcome::failed);
  EXPECT_EQ(outcome_of(Status::fail, ""), Outcome::failed);
  EXPECT_EQ(outcome_of(Status::error, "thrown"), Outcome::error);
}

}  // namespace
}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/record_text.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/testing/sample_report.hpp"

namespace parity::reports {
namespace {

using compare::Status;
using ::testing::HasSubstr;

TEST(RecordText, FailureIsFourLinesWithTheReproLast) {
  EXPECT_EQ(failing_text(tests::failing_record()),
            "FAIL steps/000/text/layers/07/input_norm/out   rms_norm  bf16 (S=17,H=6144)   2x the limit, 3 of 104448 "
            "elements beyond it\n"
            "     worst token 11, channel 4097: exact 0.24871 (bf16: 0.24902), got 0.25195 (2 ulp)\n"
            "     where all 3 in s=11, h=4096..4127: one warp's 32 columns\n"
            "     repro parity repro 'm3<a&b>#steps/000/text/layers/07/input_norm/out' --candidate cuda:warp");
}

TEST(RecordText, PlaceIsInTheJudgesWordsWhereItLeftThem) {
  compare::Record record = tests::passing_record();
  EXPECT_THAT(worst_element(record), HasSubstr("sequence 1, token 16, channel 4095: exact"));

  record.worst.at = "sequence 1, token 16, head 63, channel 63";

  EXPECT_THAT(worst_element(record), HasSubstr("head 63, channel 63: exact"));
}

TEST(RecordText, DistanceThatTellsNothingIsLeftOut) {
  compare::Record record = tests::failing_record();
  for (const double ulp : {32100.0, HUGE_VAL, std::nan("")}) {
    record.worst.ulp = ulp;
    EXPECT_THAT(worst_element(record), ::testing::Not(HasSubstr("ulp"))) << ulp;
  }
}

/// One norm is wrong. The node after it is right in isolated mode.
TEST(RecordText, NodeThatWasGivenWrongValuesIsNotAccused) {
  compare::GoldenReport golden;
  const auto add = [&](const char* tap, compare::Mode mode, Status status) {
    golden.records.push_back(tests::plain_record(status, tap, ""));
    golden.records.back().mode = mode;
  };
  add("norm", compare::Mode::isolated, Status::fail);
  add("linear", compare::Mode::isolated, Status::pass);
  add("norm", compare::Mode::forced, Status::fail);
  add("linear", compare::Mode::forced, Status::fail);

  const Inherited inherited(golden);

  EXPECT_FALSE(inherited.contains(golden.records[2]));
  ASSERT_TRUE(inherited.contains(golden.records[3]));
  EXPECT_THAT(failing_text(golden.records[3], true),
              HasSubstr("note  the input was wrong; on the right input the node is right"));
}

TEST(RecordText, FirstThatFailsInAChainHadARightInput) {
  compare::GoldenReport golden;
  for (const auto mode : {compare::Mode::isolated, compare::Mode::chained}) {
    golden.records.push_back(tests::plain_record(Status::pass, "norm", ""));
    golden.records.back().mode = mode;
  }
  golden.records.back().status = Status::fail;

  EXPECT_FALSE(Inherited(golden).contains(golden.records.back()));
}

TEST(RecordText, ChoiceShowsItsContractInPlaceOfAnElement) {
  const std::string text = failing_text(tests::choosing_record());

  EXPECT_THAT(text, HasSubstr("router  i64 (N=34,K=4)   2 of 34 rows are wrong"));
  EXPECT_THAT(
      text,
      HasSubstr("ids   130 must be chosen, 6 may be, 900 must not be; 1 flips, 0.25 expected; score error 0.001"));
  EXPECT_THAT(text, HasSubstr("where row 5; id 7 is beyond twice the score error"));
}

TEST(RecordText, ChainedFailureTellsInheritedFromAdded) {
  const std::string text = failing_text(tests::chained_record());

  EXPECT_THAT(text, HasSubstr("rms_norm [chained]"));
  EXPECT_THAT(text, HasSubstr("not a number, 3 of 104448 elements beyond it"));
  EXPECT_THAT(text, HasSubstr("got -Infinity"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("Infinity of")));

  compare::Record finite = tests::chained_record();
  finite.relative_error = 0.031;
  EXPECT_THAT(
      failing_text(finite),
      HasSubstr("error 0.031 of the largest magnitude: 0.03 inherited from the inputs, 0.0012 added by this node"));
}

TEST(RecordText, WhatWasNotJudgedHasAReasonAndNoNumbers) {
  EXPECT_EQ(failing_text(tests::plain_record(Status::error, "steps/000/b", "kernel\nthrew")),
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

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/record_text.hpp"
#include "reports/sample_report.hpp"

namespace parity::reports {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Terminal, ClosingLineIsLast) {
  EXPECT_THAT(terminal_text(testing::green_report()), EndsWith("\nparity holds: 1 golden, 1 tap judged, 0 unknown\n"));
  EXPECT_THAT(terminal_text(testing::sample_report()), EndsWith("(rms_norm): partial_rotary_factor = 1.0\n"));
}

TEST(Terminal, GoldenHasAHeadAndALinePerComponentAndMode) {
  const std::string text = terminal_text(testing::sample_report());

  EXPECT_THAT(text, HasSubstr("m3<a&b>  oracle transformers 5.12.0, profile hf-5.12.0, bf16, candidate cuda: fail\n"));
  EXPECT_THAT(
      text,
      HasSubstr("taps: 5 judged, 2 input, 1 alias, 1 parameter, 1 yardstick, 1 spanned, 1 not recorded, 1 unknown\n"));
  EXPECT_THAT(text, ContainsRegex("  attention_dense  isolated +1 +1 +- +- +- +43.75% +0.0012 +99.9971% +-\n"));
  EXPECT_THAT(text, ContainsRegex("  rms_norm +chained +1 +- +1 +- +- +NaN% +Infinity "));
  EXPECT_THAT(text, HasSubstr("\ngoldens/absent: error\n  why: activations.h5 is missing; run golden/fetch.sh\n"));
  EXPECT_THAT(text, HasSubstr("  note: no clamp is reached\n"));
  EXPECT_THAT(text, HasSubstr("  unknown tap: steps/000/text/odd|one\n"));
}

TEST(Terminal, FoldsComponentsOfWhichNothingIsJudged) {
  compare::RunReport report = testing::green_report();
  for (const char* component : {"rotary_tables", "linear", "linear"}) {
    report.goldens[0].records.push_back(report.goldens[0].records[0]);
    report.goldens[0].records.back().component = component;
    report.goldens[0].records.back().status = compare::Status::skipped;
  }

  EXPECT_THAT(terminal_text(report),
              HasSubstr("  nothing judged of 2 components, 3 records (--taps says why): linear, rotary_tables\n"));
}

TEST(Terminal, SaysWhatWasNotSelectedOrNotJudged) {
  compare::RunReport report = testing::green_report();
  report.goldens[0].taps.unselected = 7;
  report.goldens[0].taps.unjudged = 3;

  EXPECT_THAT(terminal_text(report), HasSubstr(" judged, 7 not selected, 3 not judged, "));
}

TEST(Terminal, FailuresAreInFullAndExplainedSkipsAreNot) {
  const std::string text = terminal_text(testing::sample_report());

  EXPECT_THAT(text, HasSubstr(failing_text(testing::failing_record()) + "\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("MISTRUSTED steps/000/a "), HasSubstr("would accept 0 for 40%"),
                          HasSubstr("ERROR steps/000/b "), HasSubstr("UNIMPLEMENTED steps/000/d ")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("SKIPPED")), Not(HasSubstr("NOT_RECORDED"))));
}

TEST(Terminal, ShowsTheFirstTenFailuresOfAGolden) {
  compare::RunReport report = testing::green_report();
  for (int i = 0; i < 13; ++i) {
    report.goldens[0].records.push_back(testing::failing_record());
    report.goldens[0].records.back().tap = "tap" + std::to_string(i);
  }

  const std::string text = terminal_text(report);

  EXPECT_THAT(text, AllOf(HasSubstr("FAIL tap9 "), Not(HasSubstr("FAIL tap10 ")),
                          HasSubstr("... and 3 more with status fail; --taps lists all of them\n")));
}

TEST(Terminal, ColourIsOnlyOnRequest) {
  EXPECT_THAT(terminal_text(testing::sample_report()), Not(HasSubstr("\033")));

  TerminalStyle style;
  style.colour = true;

  EXPECT_THAT(terminal_text(testing::sample_report(), style), HasSubstr("\033[1;31mFAIL\033[0m steps/"));
  EXPECT_THAT(terminal_text(testing::green_report(), style), HasSubstr("\033[1;32mparity holds"));
}

TEST(Terminal, NamesCannotSteerTheTerminal) {
  compare::RunReport report = testing::sample_report();
  compare::GoldenReport& golden = report.goldens[0];
  const std::string evil = "x\033[2J\n";
  for (std::string* text : {&golden.name, &golden.oracle, &golden.profile, &golden.candidate, &golden.reason,
                            &golden.notes[0], &golden.unknown_taps[0], &golden.first_divergence->tap}) {
    *text = evil;
  }
  for (compare::Record& record : golden.records) {
    record.tap = record.component = record.reason = record.where = record.repro = record.axes = evil;
  }

  for (const std::string& text : {terminal_text(report), bit_equal_table(report), tap_table(report)}) {
    EXPECT_THAT(text, Not(HasSubstr("\033")));
    EXPECT_THAT(text, Not(HasSubstr("[2J\n\n")));
  }
}

TEST(Terminal, BitEqualTablePoolsLayersAndSteps) {
  compare::RunReport report = testing::green_report();
  std::vector<compare::Record>& records = report.goldens[0].records;
  records.push_back(testing::passing_record());
  records.back().tap = "steps/001/text/layers/12/attention/core/out";
  records.push_back(testing::plain_record(compare::Status::skipped, "steps/000/c", "needs a GPU"));

  const std::string text = bit_equal_table(report);

  EXPECT_THAT(
      text,
      ContainsRegex("steps/\\*/text/layers/\\*/attention/core/out  isolated  bf16 +2 +278528 +8 +6 +1 +99.9971%\n"));
  EXPECT_THAT(text, Not(HasSubstr("steps/000/c")));
  EXPECT_EQ(bit_equal_table({}), "no elements were compared bit by bit\n");
}

TEST(Terminal, TapTableHasALinePerRecord) {
  const std::string text = tap_table(testing::sample_report());

  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 9);
  EXPECT_THAT(text, ContainsRegex("unimplemented +m3<a&b> +steps/000/d +experts_hf +isolated "));
}

}  // namespace
}  // namespace parity::reports

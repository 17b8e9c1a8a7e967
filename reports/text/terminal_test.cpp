// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/testing/sample_report.hpp"
#include "reports/text/format.hpp"
#include "reports/text/record_text.hpp"

namespace parity::reports {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TerminalStyle verbose() {
  TerminalStyle style;
  style.verbose = true;
  return style;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t first = 0; first < text.size();) {
    const size_t last = std::min(text.find('\n', first), text.size());
    lines.push_back(text.substr(first, last - first));
    first = last + 1;
  }
  return lines;
}

TEST(Terminal, ClosingLineIsLast) {
  EXPECT_THAT(terminal_text(tests::green_report()), EndsWith("\nparity holds: 1 golden, 1 tap judged, 0 unknown\n"));
  EXPECT_THAT(
      terminal_text(tests::sample_report()),
      EndsWith("\nPARITY BROKEN: m3<a&b>: first divergence steps/000/text/layers/07/input_norm/out (rms_norm)\n"));
}

TEST(Terminal, GreenGoldenIsALine) {
  compare::RunReport report = tests::green_report();
  report.goldens.push_back(report.goldens[0]);
  report.goldens[1].name = "m2";
  report.goldens[1].candidate = "cpu";

  EXPECT_EQ(terminal_text(report),
            "holds  m3  1 tap judged\n"
            "holds  m2  1 tap judged, candidate cpu\n"
            "parity holds: 2 goldens, 2 taps judged, 0 unknown\n");
}

TEST(Terminal, FailingGoldenAnswersFirst) {
  compare::RunReport report = tests::sample_report();
  report.goldens.resize(1);
  report.goldens[0].causes = {{tests::kFailingTap, "fault", "rms_norm-without-one", "multiplies by w", 0.5}};

  EXPECT_EQ(lines_of(terminal_text(report)),
            (std::vector<std::string>{
                "BROKEN  m3<a&b>, candidate cuda",
                "  first   steps/000/text/layers/07/input_norm/out (rms_norm)",
                "          2x the limit, 3 of 104448 elements beyond it",
                "          worst at token 11, channel 4097: exact 0.24871 (bf16: 0.24902), got 0.25195 (2 ulp)",
                "          all 3 in s=11, h=4096..4127: one warp's 32 columns",
                "  values  exchanged: heads 3 and 5 exchanged",
                "  cause   fault rms_norm-without-one: multiplies by w; explains 50% of the failing taps",
                "  repro   parity repro 'm3<a&b>#steps/000/text/layers/07/input_norm/out' --candidate cuda:warp",
                "  also    4 more taps: experts_hf 3, router 1",
                "  (-v lists every failing tap, and what was judged)",
                "PARITY BROKEN: first divergence steps/000/text/layers/07/input_norm/out (rms_norm)",
            }));
}

TEST(Terminal, WhatIsWrongComesBeforeWhatHolds) {
  compare::RunReport report = tests::sample_report();
  report.goldens.insert(report.goldens.begin(), tests::green_report().goldens[0]);

  const std::string text = terminal_text(report);

  EXPECT_THAT(text, ::testing::StartsWith("BROKEN  m3<a&b>"));
  EXPECT_LT(text.find("ERROR  goldens/absent\n  why     activations.h5 is missing"), text.find("holds  m3  1 tap"));
}

TEST(Terminal, NodesThatWereGivenWrongValuesAreCountedApart) {
  compare::RunReport report = tests::sample_report();
  report.goldens.resize(1);
  std::vector<compare::Record>& records = report.goldens[0].records;
  records.push_back(tests::chained_record());
  records.back().tap = tests::passing_record().tap;  // passes in isolated mode
  records.back().component = "attention_dense";

  EXPECT_THAT(terminal_text(report), HasSubstr("1 more tap only wrong because of wrong inputs: attention_dense 1\n"));
  EXPECT_THAT(terminal_text(report, verbose()),
              HasSubstr("     note  the input was wrong; on the right input the node is right\n"));
}

TEST(Terminal, FitsItsWidth) {
  for (const size_t width : {size_t{80}, size_t{100}}) {
    TerminalStyle style = verbose();
    style.width = width;
    style.taps = style.bit_equal = true;
    compare::RunReport report = tests::sample_report();
    report.goldens[0].notes = {std::string(30, 'x') + " " + std::string(60, 'y') + " " + std::string(40, 'z')};
    report.goldens[0].causes = {{tests::kFailingTap, "text", "", std::string(60, 'c') + " " + std::string(60, 'd'), 1}};
    for (const std::string& line : lines_of(terminal_text(report, style))) {
      EXPECT_LE(columns(line), width) << line;
    }
  }
}

TEST(Terminal, GreenLineCountsWhatACaptureDidNotCompute) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].capture.emplace().declared = true;
  report.goldens[0].coverage = {{"rms_norm", 1, 1}, {"router", 0, 3}};
  const std::string line = "holds  m3  1 of 4 taps judged: router 0/3";

  EXPECT_THAT(terminal_text(report), ::testing::StartsWith(line + "\n")) << "nothing is declared";
  report.goldens[0].capture->not_computed = {"taps */router/*"};
  EXPECT_THAT(terminal_text(report), ::testing::StartsWith(line + ", 3 not computed\n"));
  report.goldens[0].taps.unselected = 2;
  EXPECT_THAT(terminal_text(report), ::testing::StartsWith(line + ", 1 not computed\n")) << "--select left out two";
}

TEST(Terminal, GoldenThatRoundsDifferentlyWithinBoundsHolds) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].first_divergence = compare::Divergence{"steps/000/out", "rms_norm", 0, ""};
  report.goldens[0].records[0].deviation = compare::Deviation{"rounding", "does not round at the output", 0.6};

  EXPECT_THAT(terminal_text(report), ::testing::StartsWith("holds  m3  1 tap judged, 1 round differently\n"));
}

TEST(Terminal, ReasonOfAGoldenIsSaidOnce) {
  compare::RunReport report = tests::sample_report();
  report.goldens.erase(report.goldens.begin());
  report.verdict = compare::Status::error;

  EXPECT_EQ(terminal_text(report),
            "ERROR  goldens/absent\n"
            "  why     activations.h5 is missing; run golden/fetch.sh\n"
            "PARITY NOT SHOWN, an error: goldens/absent\n");
}

TEST(Terminal, ClosingLineKeepsTheTapWhole) {
  TerminalStyle style;
  style.width = 80;

  EXPECT_THAT(
      terminal_text(tests::sample_report(), style),
      EndsWith("\nPARITY BROKEN: m3<a&b>: first divergence steps/000/text/layers/07/input_norm/out\n  (rms_norm)\n"));
}

TEST(Terminal, DetailsHaveAHeadAndALinePerComponentAndMode) {
  const std::string text = terminal_text(tests::sample_report(), verbose());

  EXPECT_THAT(text, HasSubstr("m3<a&b>: oracle transformers 5.12.0, profile hf-5.12.0, bf16, candidate cuda\n"));
  EXPECT_THAT(text, HasSubstr("  taps: 5 judged, 2 input, 1 alias, 1 parameter, 1 of exact/, 1 inside spans, "
                              "1 not recorded,"));
  EXPECT_THAT(text, ContainsRegex("  attention_dense  isolated +1 +- +- +43.75% "));
  EXPECT_THAT(text, ContainsRegex("  rms_norm +chained +1 +1 +- +NaN "));
  EXPECT_THAT(text, HasSubstr("  note: no clamp is reached\n"));
  EXPECT_THAT(text, HasSubstr("  unknown tap: steps/000/text/odd|one\n"));
}

TEST(Terminal, FoldsComponentsOfWhichNothingIsJudged) {
  compare::RunReport report = tests::green_report();
  for (const char* component : {"rotary_tables", "linear", "linear"}) {
    report.goldens[0].records.push_back(report.goldens[0].records[0]);
    report.goldens[0].records.back().component = component;
    report.goldens[0].records.back().status = compare::Status::skipped;
  }

  EXPECT_THAT(terminal_text(report, verbose()),
              HasSubstr("  not judged: 2 components, 3 records (--taps says why): linear, rotary_tables\n"));
}

TEST(Terminal, SaysWhatWasNotSelectedOrNotJudged) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].taps.unselected = 7;
  report.goldens[0].taps.unjudged = 3;

  EXPECT_THAT(terminal_text(report, verbose()), HasSubstr(" judged, 7 not selected, 3 not judged\n"));
}

TEST(Terminal, FailuresAreInFullAndInPlanOrderAndExplainedSkipsAreNotThere) {
  const std::string text = terminal_text(tests::sample_report(), verbose());

  EXPECT_THAT(text, HasSubstr("\nFAIL steps/000/text/layers/07/input_norm/out   rms_norm"));
  EXPECT_THAT(text, AllOf(HasSubstr("MISTRUSTED steps/000/a "), HasSubstr("would accept 0 for 40%"),
                          HasSubstr("ERROR steps/000/b "), HasSubstr("UNIMPLEMENTED steps/000/d ")));
  EXPECT_LT(text.find("FAIL steps/000/text/layers/03"), text.find("MISTRUSTED"));
  EXPECT_LT(text.find("MISTRUSTED"), text.find("ERROR steps"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("SKIPPED")), Not(HasSubstr("NOT_RECORDED"))));
}

TEST(Terminal, ShowsTheFirstTenFailuresOfAGolden) {
  compare::RunReport report = tests::green_report();
  for (int i = 0; i < 13; ++i) {
    report.goldens[0].records.push_back(tests::failing_record());
    report.goldens[0].records.back().tap = "tap" + std::to_string(i);
  }

  const std::string text = terminal_text(report, verbose());

  EXPECT_THAT(text, AllOf(HasSubstr("FAIL tap9 "), Not(HasSubstr("FAIL tap10 ")),
                          HasSubstr("... and 3 more; --taps lists all of them\n")));
}

TEST(Terminal, NumbersBeyondAllMeasureAreNotPrinted) {
  compare::RunReport report = tests::sample_report();
  report.goldens[0].records[1].budget_used = HUGE_VAL;
  report.goldens[0].records[1].worst.ulp = HUGE_VAL;

  const std::string text = terminal_text(report, verbose());

  EXPECT_THAT(text, AllOf(Not(HasSubstr("∞")), Not(HasSubstr("Infinity ulp")), Not(HasSubstr("e+"))));
  EXPECT_THAT(text, HasSubstr("no deviation is allowed, 3 of 104448 elements beyond it"));
}

TEST(Terminal, ColourIsOnlyOnRequest) {
  EXPECT_THAT(terminal_text(tests::sample_report()), Not(HasSubstr("\033")));

  TerminalStyle style;
  style.colour = true;

  EXPECT_THAT(terminal_text(tests::sample_report(), style), HasSubstr("\033[1;31mBROKEN\033[0m  m3"));
  EXPECT_THAT(terminal_text(tests::green_report(), style), HasSubstr("\033[1;32mholds\033[0m  m3"));
  EXPECT_THAT(terminal_text(tests::green_report(), style), HasSubstr("\033[1;32mparity holds"));
}

TEST(Terminal, NamesCannotSteerTheTerminal) {
  compare::RunReport report = tests::sample_report();
  compare::GoldenReport& golden = report.goldens[0];
  const std::string evil = "x\033[2J\n";
  for (std::string* text : {&golden.name, &golden.oracle, &golden.profile, &golden.candidate, &golden.reason,
                            &golden.notes[0], &golden.unknown_taps[0], &golden.first_divergence->tap}) {
    *text = evil;
  }
  for (compare::Record& record : golden.records) {
    record.tap = record.component = record.reason = record.where = record.repro = record.axes = evil;
  }

  for (const std::string& text : {terminal_text(report, verbose()), bit_equal_table(report), tap_table(report)}) {
    EXPECT_THAT(text, Not(HasSubstr("\033")));
    EXPECT_THAT(text, Not(HasSubstr("[2J\n\n")));
  }
}

TEST(Terminal, BitEqualTablePoolsLayersAndSteps) {
  compare::RunReport report = tests::green_report();
  std::vector<compare::Record>& records = report.goldens[0].records;
  records.push_back(tests::passing_record());
  records.back().tap = "steps/001/text/layers/12/attention/core/out";
  records.push_back(tests::plain_record(compare::Status::skipped, "steps/000/c", "needs a GPU"));

  const std::string text = bit_equal_table(report);

  EXPECT_THAT(
      text,
      ContainsRegex("steps/\\*/text/layers/\\*/attention/core/out  isolated  bf16 +2 +278528 +8 +6 +1 +99.9971%\n"));
  EXPECT_THAT(text, Not(HasSubstr("steps/000/c")));
  EXPECT_EQ(bit_equal_table({}), "no elements were compared bit by bit\n");
}

TEST(Terminal, TapTableHasALinePerRecord) {
  const std::string text = tap_table(tests::sample_report());

  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 9);
  EXPECT_THAT(text, ContainsRegex("unimplemented +m3<a&b> +steps/000/d +experts_hf +isolated "));
}

}  // namespace
}  // namespace parity::reports

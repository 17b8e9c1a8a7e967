// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/summary.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/testing/sample_report.hpp"

namespace parity::reports {
namespace {

using compare::Status;
using ::testing::StartsWith;

TEST(Summary, GreenRunCountsWhatItJudged) {
  compare::RunReport report = tests::green_report();
  EXPECT_EQ(closing_line(report), "parity holds: 1 golden, 1 tap judged, 0 unknown");

  report.goldens.push_back(report.goldens.front());
  report.goldens.back().taps.unknown = 3;

  EXPECT_EQ(closing_line(report), "parity holds: 2 goldens, 2 taps judged, 3 unknown");
}

TEST(Summary, WhatWasAcceptedIsSaidWithItsReason) {
  compare::RunReport report = tests::sample_report();
  report.exit_code = 0;
  for (compare::GoldenReport& golden : report.goldens) {
    for (compare::Record& record : golden.records) {
      if (record.status == Status::fail) record.accepted = "engine's eps (2026-11-23)";
    }
  }

  EXPECT_THAT(closing_line(report), StartsWith("PARITY BROKEN, accepted in "));
  EXPECT_THAT(closing_line(report), ::testing::HasSubstr("engine's eps (2026-11-23)"));
}

/// A capture of a few taps proves little, even if all of them pass.
TEST(Summary, SaysOfHowManyTaps) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].taps.judged = 6;
  report.goldens[0].taps.spanned = 80;
  report.goldens[0].taps.not_recorded = 100;
  report.goldens[0].taps.unjudged = 3;

  EXPECT_EQ(closing_line(report), "parity holds: 1 golden, 6 of 189 taps judged, 0 unknown");
}

TEST(Summary, SaysHowManyOfSeveralGoldensAreShownAndWhyTheFirstIsNot) {
  compare::RunReport report = tests::green_report();
  for (const char* name : {"b", "c"}) {
    report.goldens.emplace_back().name = name;
    report.goldens.back().verdict = Status::unimplemented;
    report.goldens.back().reason = "backend cpu has no kernel of type f64";
  }
  report.verdict = Status::unimplemented;

  EXPECT_EQ(closing_line(report),
            "PARITY NOT SHOWN (1 of 3 goldens shown, 1 tap judged), the candidate computes none of the taps: first b: "
            "backend cpu "
            "has no kernel of type f64");
}

TEST(Summary, NothingJudgedIsNeverGreen) {
  const compare::RunReport empty;
  EXPECT_FALSE(parity_holds(empty));
  EXPECT_EQ(closing_line(empty), "PARITY NOT SHOWN, nothing was judged");

  compare::RunReport skipped = tests::green_report();
  skipped.goldens[0].records[0].status = Status::skipped;

  EXPECT_EQ(closing_line(skipped), "PARITY NOT SHOWN, nothing was judged");
}

TEST(Summary, BrokenRunNamesTheFirstDivergenceAndItsGoldenAmongSeveral) {
  EXPECT_EQ(closing_line(tests::sample_report()),
            "PARITY BROKEN: m3<a&b>: first divergence steps/000/text/layers/07/input_norm/out (rms_norm)");

  compare::RunReport alone = tests::sample_report();
  alone.goldens.resize(1);
  EXPECT_EQ(closing_line(alone).find("PARITY BROKEN: first divergence"), 0);
}

TEST(Summary, BrokenRunWithoutADivergenceNamesTheFirstFailure) {
  compare::RunReport report = tests::sample_report();
  report.first_divergence.reset();

  EXPECT_EQ(closing_line(report), "PARITY BROKEN: first steps/000/text/layers/07/input_norm/out (rms_norm)");
}

TEST(Summary, OtherVerdictsNameTheirFirstCulprit) {
  compare::RunReport report = tests::sample_report();
  const auto closing = [&](Status verdict) {
    report.verdict = verdict;
    return closing_line(report);
  };

  EXPECT_THAT(closing(Status::mistrusted),
              StartsWith("PARITY NOT SHOWN (0 of 2 goldens shown, 5 of 7 taps judged), the passing taps prove too "
                         "little: first steps/000/a (experts_hf): would accept 0 for 40% of the elements"));
  EXPECT_THAT(closing(Status::unimplemented), StartsWith("PARITY NOT SHOWN (0 of 2 goldens shown, 5 of 7 taps judged), "
                                                         "the candidate computes none of the taps: first steps/000/d"));
  report.goldens.erase(report.goldens.begin());
  EXPECT_EQ(closing(Status::error),
            "PARITY NOT SHOWN, an error: goldens/absent: activations.h5 is missing; run golden/fetch.sh");
}

TEST(Summary, NanIsWorseThanEveryNumber) {
  EXPECT_TRUE(std::isnan(worse(std::nan(""), 1.0)));
  EXPECT_TRUE(std::isnan(worse(HUGE_VAL, std::nan(""))));
  EXPECT_EQ(worse(2.0, 1.0), 2.0);
}

TEST(Summary, TallyPoolsOnlyWhatWasJudged) {
  Tally tally;
  for (const compare::Record& record : tests::golden_report().records) tally.add(record);

  EXPECT_EQ(tally.judged, 5);
  EXPECT_EQ(tally.passed + tally.failed + tally.mistrusted, tally.judged);
  EXPECT_EQ(tally.failed, 3);
  EXPECT_EQ(tally.other, 4);
  EXPECT_EQ(tally.bit_equal.total, 139264 + 3 * 104448);
  EXPECT_EQ(tally.flips, 1);
}

TEST(Summary, PooledTapLosesItsNumbersOnly) {
  EXPECT_EQ(pooled_tap("steps/000/text/layers/03/attention/core/out"), "steps/*/text/layers/*/attention/core/out");
  EXPECT_EQ(pooled_tap("steps/012/layer2/w1"), "steps/*/layer2/w1");
  EXPECT_EQ(pooled_tap(""), "");
}

TEST(Summary, CauseSaysWhereItBeginsUnlessThatWasSaid) {
  const compare::Cause cause{"steps/000/out", "fault", "rms_norm-without-one", "multiplies by w", 1.0};

  EXPECT_EQ(cause_text(cause),
            "fault rms_norm-without-one: multiplies by w; explains 100% of the failing taps, from steps/000/out");
  EXPECT_EQ(cause_text(cause, false), "fault rms_norm-without-one: multiplies by w; explains 100% of the failing taps");
}

TEST(Summary, AxisOfValuesIsAWordAndSaidOnce) {
  using compare::ValueKind;
  EXPECT_EQ(values_text(compare::ValueMatch{ValueKind::exchanged, "A", "heads 3 and 5 exchanged", 1.0}),
            "exchanged: heads 3 and 5 exchanged");
  EXPECT_EQ(values_text(compare::ValueMatch{ValueKind::reversed, "S", "in reverse order", 1.0}),
            "reversed: in reverse order (token axis)");
}

TEST(Summary, UsualTypeIsThatOfMostRecords) {
  EXPECT_EQ(usual_dtype(tests::green_report().goldens.front()), "bf16");
  EXPECT_EQ(usual_dtype({}), "-");
}

}  // namespace
}  // namespace parity::reports

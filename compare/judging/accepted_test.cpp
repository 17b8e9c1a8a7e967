// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/accepted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::compare {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Record record(const std::string& tap, Status status, double budget_used) {
  Record result;
  result.tap = tap;
  result.status = status;
  result.budget_used = budget_used;
  return result;
}

GoldenReport report_of(const std::vector<Record>& records) {
  GoldenReport report;
  report.policy = Policy::bounds;
  report.records = records;
  return report;
}

std::set<std::string> nothing(const std::string& /*fault*/) { return {}; }

TEST(Accept, AFactorCoversWhatStaysBelowIt) {
  GoldenReport report = report_of({record("a/out", Status::fail, 1.4), record("b/out", Status::fail, 1.6)});

  accept({{"*/out", "", 1.5, "our exp", "2026-11-22"}}, nothing, report);

  EXPECT_EQ(report.records[0].accepted, "our exp (2026-11-22)");
  EXPECT_TRUE(is_open(report.records[1], report.policy));
}

TEST(Accept, AFaultCoversTheTapsThatAreRightWithIt) {
  GoldenReport report = report_of({record("a/out", Status::fail, 9.0), record("b/out", Status::fail, 9.0)});

  accept(
      {{"*", "rms_norm-without-one", 0.0, "known", "2026-11-22"}},
      [](const std::string& fault) {
        return fault == "rms_norm-without-one" ? std::set<std::string>{"b/out"} : std::set<std::string>{};
      },
      report);

  EXPECT_TRUE(is_open(report.records[0], report.policy));
  EXPECT_FALSE(is_open(report.records[1], report.policy));
}

TEST(Accept, WhatIsNotShownStaysOpen) {
  GoldenReport report = report_of({record("a/out", Status::mistrusted, 0.1), record("b/out", Status::error, 0.0)});

  accept({{"*", "", 50.0, "why not", "2026-11-22"}}, nothing, report);

  EXPECT_TRUE(is_open(report.records[0], report.policy));
  EXPECT_TRUE(is_open(report.records[1], report.policy));
  EXPECT_THAT(report.notes, SizeIs(1));
}

TEST(Proposals, PoolCallsAndLayersUnderTheWorstFactor) {
  const GoldenReport report = report_of({record("steps/000/text/layers/01/q_proj/out", Status::fail, 1.21),
                                         record("steps/001/text/layers/10/q_proj/out", Status::fail, 1.58)});

  const auto entries = proposals(report);

  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].tap, "steps/*/text/layers/*/q_proj/out");
  EXPECT_DOUBLE_EQ(entries[0].factor, 1.6);
}

TEST(Proposals, NameTheFaultsWhereTheyExplainEverything) {
  GoldenReport report = report_of({record("a/out", Status::fail, 1e6)});
  report.causes = {{"a/out", "fault", "swiglu-fused-f32", "", 1.0}};

  const auto entries = proposals(report);

  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].fault, "swiglu-fused-f32");
}

TEST(Proposals, AreNotMadeForWhatIsWrongByFar) {
  EXPECT_THAT(proposals(report_of({record("a/out", Status::fail, 1e6)})), IsEmpty());
}

}  // namespace
}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/judging/accepted.hpp"

namespace parity::compare {
namespace {

Record record(Status status, const std::string& tap = "tap", Mode mode = Mode::isolated) {
  Record result;
  result.tap = tap;
  result.component = "of " + tap;
  result.layer = 7;
  result.status = status;
  result.mode = mode;
  return result;
}

TEST(Verdict, IsTheWorstStatusOfTheRecords) {
  const std::vector<Status> order{Status::pass, Status::mistrusted, Status::unimplemented, Status::fail, Status::error};
  for (size_t worse = 0; worse < order.size(); ++worse) {
    for (size_t better = 0; better <= worse; ++better) {
      EXPECT_EQ(worst_status({record(order[better]), record(order[worse])}), order[worse]);
      EXPECT_EQ(worst_status({record(order[worse]), record(order[better])}), order[worse]);
    }
  }
}

TEST(Verdict, OfNothingIsNotRecorded) {
  EXPECT_EQ(worst_status({}), Status::not_recorded);
  EXPECT_FALSE(is_green(worst_status({})));
}

TEST(Verdict, OfNothingButSkipsIsNotGreen) {
  EXPECT_FALSE(is_green(worst_status({record(Status::skipped)})));
  EXPECT_EQ(worst_status({record(Status::skipped), record(Status::pass)}), Status::pass);
}

TEST(Verdict, OnlyAPassIsGreen) {
  for (const Status status : {Status::fail, Status::mistrusted, Status::unimplemented, Status::not_recorded,
                              Status::skipped, Status::error}) {
    EXPECT_FALSE(is_green(status)) << to_string(status);
  }
  EXPECT_TRUE(is_green(Status::pass));
}

// Regression: a list of accepted taps that covered all wrong taps hid a tap that was not shown to be right.
TEST(Accept, IsForWhatWasJudged) {
  GoldenReport report;
  report.records = {record(Status::fail, "a"), record(Status::mistrusted, "b"), record(Status::error, "c")};
  for (Record& known : report.records) known.budget_used = 1.5;
  EXPECT_EQ(proposals(report).size(), 1U) << "only of a";
  accept({{"*", "", 2.0, "as the engine does it", "2026-11-23"}}, {}, report);

  EXPECT_FALSE(is_open(report.records[0], Policy::bounds));
  EXPECT_TRUE(is_open(report.records[1], Policy::bounds)) << "not shown";
  EXPECT_TRUE(is_open(report.records[2], Policy::bounds)) << "in error";
  EXPECT_THAT(report.notes, ::testing::ElementsAre(::testing::HasSubstr("2 taps that were not judged")));
}

TEST(FirstDivergence, IsTheFirstFailureOnGoldenInputs) {
  const auto found =
      first_divergence({record(Status::pass, "a"), record(Status::fail, "b"), record(Status::fail, "c")});

  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->tap, "b");
  EXPECT_EQ(found->component, "of b");
  EXPECT_EQ(found->layer, 7);
  EXPECT_EQ(found->explanation, "");
}

TEST(FirstDivergence, OfAChainComesBehindIsolatedOnes) {
  const auto found = first_divergence({record(Status::fail, "early", Mode::forced), record(Status::fail, "late")});
  EXPECT_EQ(found->tap, "late");

  const auto chained = first_divergence({record(Status::pass, "early"), record(Status::fail, "late", Mode::chained)});
  EXPECT_EQ(chained->tap, "late");
  EXPECT_NE(chained->explanation.find("only in mode chained"), std::string::npos);
}

TEST(FirstDivergence, OfAChainAloneDoesNotClaimThatIsolatedReplayHolds) {
  const auto found = first_divergence({record(Status::fail, "late", Mode::forced)});
  EXPECT_EQ(found->explanation.find("in mode forced; run --mode isolated"), 0);
}

TEST(FirstDivergence, CountsErrorsButNotMistrust) {
  EXPECT_EQ(first_divergence({record(Status::mistrusted, "a"), record(Status::error, "b")})->tap, "b");
  EXPECT_FALSE(first_divergence({record(Status::mistrusted), record(Status::pass)}).has_value());
}

GoldenReport golden(Status status) {
  GoldenReport result;
  result.verdict = status;
  return result;
}

Status conclusion(const std::vector<Status>& goldens) {
  RunReport report;
  for (const Status status : goldens) report.goldens.push_back(golden(status));
  conclude(report);
  return report.verdict;
}

TEST(Conclusion, IsTheWorstOfTheGoldens) {
  using enum Status;
  EXPECT_EQ(conclusion({pass, pass}), pass);
  EXPECT_EQ(conclusion({pass, mistrusted, pass}), mistrusted);
  EXPECT_EQ(conclusion({unimplemented, mistrusted}), unimplemented);
  EXPECT_EQ(conclusion({pass, error, unimplemented}), error);
  EXPECT_EQ(conclusion({fail, error}), fail);
  EXPECT_EQ(conclusion({pass, not_recorded}), not_recorded) << "a golden of which nothing was judged is not green";
  EXPECT_EQ(conclusion({}), not_recorded);
  EXPECT_EQ(conclusion({skipped}), skipped) << "not that nothing was recorded";
  EXPECT_EQ(conclusion({skipped, pass}), pass);
  EXPECT_EQ(conclusion({skipped, not_recorded}), not_recorded);
}

TEST(Conclusion, IsNotThatNothingRanWhenSomethingIsBroken) {
  using enum Status;
  for (const Status broken : {mistrusted, unimplemented, fail, error}) {
    EXPECT_EQ(conclusion({broken, not_recorded}), broken) << to_string(broken);
    EXPECT_EQ(conclusion({not_recorded, broken}), broken) << to_string(broken);
  }
}

TEST(Conclusion, CountsRecordsAndTakesTheFirstDivergenceOfTheFirstFailingGolden) {
  RunReport report;
  report.counts["stale"] = 5;
  report.goldens = {golden(Status::pass), golden(Status::fail), golden(Status::fail)};
  report.goldens[0].records = {record(Status::pass), record(Status::pass)};
  report.goldens[1].records = {record(Status::pass), record(Status::fail)};
  report.goldens[1].first_divergence = Divergence{"second", "c", 1, ""};
  report.goldens[2].first_divergence = Divergence{"third", "c", 1, ""};
  conclude(report);

  EXPECT_EQ(report.counts, (std::map<std::string, int64_t>{{"pass", 3}, {"fail", 1}}));
  EXPECT_EQ(report.first_divergence->tap, "second");
}

}  // namespace
}  // namespace parity::compare

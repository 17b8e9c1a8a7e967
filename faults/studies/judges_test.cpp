// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/judges.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace parity::faults {
namespace {

JudgesStudy study_of(const std::string& select) {
  JudgesOptions options;
  options.goldens = {"golden/data/m3-text-bf16", "golden/data/m3-text-f32"};
  options.select = select;
  return run_judges(options);
}

const JudgeRow& row_of(const JudgesStudy& study, const std::string& name) {
  return *std::find_if(study.rows.begin(), study.rows.end(), [&](const JudgeRow& row) { return row.name == name; });
}

TEST(Judges, OursKillsWithoutFalseAlarms) {
  const JudgesStudy study = study_of("rms_norm-*");
  const JudgeRow& ours = study.rows.front();

  const auto planted =
      std::count_if(study.faults.begin(), study.faults.end(), [](const auto& f) { return f.planted(); });
  EXPECT_GT(planted, 3);
  EXPECT_EQ(ours.killed, planted);
  EXPECT_EQ(ours.faultless.taps, 0);
  EXPECT_EQ(ours.recordings.taps, 0);
  EXPECT_EQ(ours.rerounded.taps, 0);
  EXPECT_GT(study.taps, 100);
}

TEST(Judges, EveryPredicateAcceptsTheFaultlessCandidate) {
  const JudgesStudy study = study_of("rms_norm-without-one");

  for (const JudgeRow& row : study.rows) EXPECT_EQ(row.faultless.taps, 0) << row.name;
}

TEST(Judges, APredicateBelowTheRoundingOfTheTypeRefusesTheRealPackages) {
  const JudgesStudy study = study_of("rms_norm-without-one");

  EXPECT_GT(row_of(study, "nmse-1e-7").rerounded.taps, 0);
  EXPECT_EQ(row_of(study, "cosine-0.997").recordings.taps, 0);
}

TEST(Judges, OrderOfThreadsChangesNothing) {
  JudgesOptions options;
  options.goldens = {"golden/data/m3-text-only-aux"};
  options.select = "router-*";
  options.threads = 1;
  const JudgesStudy one = run_judges(options);
  options.threads = 3;
  const JudgesStudy three = run_judges(options);

  ASSERT_EQ(one.rows.size(), three.rows.size());
  for (size_t j = 0; j < one.rows.size(); ++j) {
    EXPECT_EQ(one.rows[j].killed, three.rows[j].killed);
    EXPECT_EQ(one.rows[j].killed_with_ids, three.rows[j].killed_with_ids);
  }
}

}  // namespace
}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/baseline.hpp"

#include <gtest/gtest.h>

namespace parity::benches {
namespace {

std::vector<double> around(double centre) {
  std::vector<double> samples;
  for (int i = 0; i < 12; ++i) samples.push_back(centre * (1.0 + 0.001 * i));
  return samples;
}

Baseline of(double first, double again, int64_t instructions = 0) {
  return {{"cpu", "avx2", "Release", "g++", 2}, {{"case", "cpu", "", around(first), around(again), instructions, 0.5}}};
}

TEST(Baseline, ComesBackFromItsFile) {
  const Baseline written = of(1.0, 1.1, 7);

  const Baseline read = baseline_from_json(to_json(written), "file");

  EXPECT_EQ(read.environment.difference(written.environment), "");
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read.rows[0].samples, written.rows[0].samples);
  EXPECT_EQ(read.rows[0].again, written.rows[0].again);
  EXPECT_EQ(read.rows[0].instructions, 7);
  EXPECT_THROW(static_cast<void>(baseline_from_json("{}", "file")), Error);
}

TEST(Baseline, OfAnotherEnvironmentIsRefused) {
  Baseline other = of(1.0, 1.0);
  other.environment.level = "avx512";

  EXPECT_EQ(of(1.0, 1.0).environment.difference(other.environment), "level 'avx2' against 'avx512'");
  EXPECT_THROW(static_cast<void>(compare(of(1.0, 1.0), other)), Error);
}

TEST(Baseline, SlowerNeedsBothPasses) {
  EXPECT_EQ(compare(of(1.0, 1.0), of(1.0, 1.0))[0].times, Verdict::same);
  EXPECT_EQ(compare(of(1.0, 1.0), of(1.2, 1.2))[0].times, Verdict::slower);
  EXPECT_EQ(compare(of(1.0, 1.0), of(1.2, 1.0))[0].times, Verdict::inconclusive);
}

TEST(Baseline, InstructionsAloneMakeACaseSlower) {
  const Compared compared = compare(of(1.0, 1.0, 1000), of(1.0, 1.0, 1100))[0];

  EXPECT_EQ(compared.times, Verdict::same);
  EXPECT_TRUE(compared.slower());
}

TEST(Baseline, CasesThatAreGoneOrWrongAreNamed) {
  const Baseline old = of(1.0, 1.0);
  Baseline now = old;
  now.rows.clear();
  ASSERT_EQ(compare(old, now).size(), 1U);
  EXPECT_TRUE(compare(old, now).front().gone);

  now = old;
  now.rows.front().samples.clear();
  now.rows.front().why = "out is wrong";
  EXPECT_TRUE(compare(old, now).front().wrong);
}

TEST(Baseline, CasesThatItLacksAreNamed) {
  Baseline now = of(1.0, 1.0);
  now.rows[0].name = "new";
  EXPECT_EQ(compare(of(1.0, 1.0), now)[0].why, "not in the baseline");
  now = of(1.0, 1.0);
  now.rows[0].samples.clear();
  now.rows[0].why = "out is wrong";
  EXPECT_EQ(compare(of(1.0, 1.0), now)[0].why, "out is wrong");
}

/// The gate's promise, on drawn times: fixed seeds, so that it is the same every time.
TEST(Study, EqualKernelsAreNotAccusedAndSlowOnesAreFound) {
  const Study quiet = simulated_study(200, 0.1, 0.01);

  EXPECT_LE(quiet.alarms, 2);
  EXPECT_GE(quiet.found, 180);
  EXPECT_EQ(simulated_study(200, 0.1, 0.05).alarms, 0);  // noise makes it silent, not wrong
}

}  // namespace
}  // namespace parity::benches

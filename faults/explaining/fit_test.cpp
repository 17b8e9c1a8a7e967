// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/catalogue.hpp"
#include "faults/computed.hpp"
#include "faults/edits/notation.hpp"
#include "faults/explaining/explain.hpp"

namespace parity::faults {
namespace {

constexpr const char* kFitted = "golden/data/m3-text-bf16";

/// Returns the findings on a candidate with `fault`, from a catalogue without `left_out`.
Findings findings_of(const std::string& fault, const std::set<std::string>& left_out) {
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;
  options.candidate = compare::RunOptions::Candidate::computed;
  options.computed = "fault:" + fault;
  options.compute = compute_of(options.computed);
  const auto golden = golden::Golden::open(kFitted);
  ExplainSettings settings;
  settings.seconds = 600.0;  // no test may depend on the speed of the machine
  settings.left_out = left_out;
  return investigate(golden, options, compare::run_golden(golden, options), settings);
}

TEST(Fit, NamesAParameterWithItsValue) {
  const auto causes = findings_of("swiglu-alpha-in-bf16", {"swiglu-alpha-in-bf16"}).causes();

  ASSERT_EQ(causes.size(), 1U);
  // 1.702 rounded to bf16 is 1.703125. A constant stored in T is the same bug.
  EXPECT_THAT(causes[0].value, ::testing::AnyOf("swiglu.alpha=1.703125", "swiglu.round(constant)=working"));
  EXPECT_EQ(causes[0].explains, 1.0);
}

TEST(Fit, NamesARoundingThatIsOneMore) {
  const auto causes = findings_of("rms_norm-gain-in-T", {"rms_norm-gain-in-T"}).causes();

  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].value, "rms_norm.round(gain)=working");
}

TEST(Fit, NamesAnOperandThatWasTakenForAnother) {
  const auto causes = findings_of("partial_rope-tables-exchanged", {"partial_rope-tables-exchanged"}).causes();

  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].value, "partial_rope.swap(cos,sin)");
}

TEST(Fit, AKnownFaultIsNamedBeforeAnythingIsFitted) {
  const auto causes = findings_of("swiglu-alpha-in-bf16", {}).causes();

  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].what, "fault");
  EXPECT_EQ(causes[0].value, "swiglu-alpha-in-bf16");
}

TEST(Fit, PlainNumbersComeBeforeLongOnes) {
  const auto numbers = plain_numbers(0.0100000003);

  EXPECT_EQ(numbers.front(), 0.01);
  EXPECT_EQ(numbers.back(), 0.0100000003);
}

}  // namespace
}  // namespace parity::faults

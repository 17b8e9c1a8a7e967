// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/catalogue.hpp"
#include "faults/computed.hpp"
#include "faults/explaining/unnoticed.hpp"
#include "faults/studies/fixture.hpp"
#include "faults/studies/matrix.hpp"

namespace parity::faults {
namespace {

constexpr const char* kHalfGolden = "golden/data/m3-text-bf16";

const Fixture& half_fixture() {
  static const Fixture instance(kHalfGolden);
  return instance;
}

compare::RunOptions isolated() {
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;
  return options;
}

std::vector<Explanation> explanations_of(const compare::RunOptions& options) {
  return explain(half_fixture().golden(), options, compare::run_golden(half_fixture().golden(), options));
}

/// Returns options with the faulty reference as candidate. The fault need not be in the catalogue.
compare::RunOptions with(const Fault& fault) {
  compare::RunOptions options = isolated();
  options.candidate = compare::RunOptions::Candidate::computed;
  options.computed = "mine";
  options.policy = compare::Policy::bits;  // claims the oracle's order and bits
  options.compute = [fault](const golden::Golden& golden, const Plan& plan, const replay::TapSource& recorded) {
    return computation_of(*applied(fault, plan), {}, golden.parameters(), recorded);
  };
  return options;
}

class Names : public ::testing::TestWithParam<const char*> {};

TEST_P(Names, TheFaultThatWasPlanted) {
  const auto found = explanations_of(with(find_fault(GetParam())));

  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().faults.front().id, GetParam());
  EXPECT_EQ(found.front().explained, found.front().failing);
}

INSTANTIATE_TEST_SUITE_P(Explain, Names,
                         ::testing::Values("rms_norm-without-one", "rms_norm-gain-in-T", "partial_rope-interleaved",
                                           "dense-heads-in-turn", "index_scores-scaled", "select-ascending",
                                           "experts-gate-up-exchanged", "combine-shared-halved",
                                           "router-biased-weights", "swiglu-gate-clamped-below",
                                           "q_proj-of-next-layer"));

/// The fault replaces the kernel by residual_add~n.
TEST(Explain, FindsTheBugAroundANativeKernel) {
  constexpr const char* kFault = "residual-branch-twice";
  compare::RunOptions options = isolated();
  options.candidate = compare::RunOptions::Candidate::computed;
  options.computed = with_fault_word("cpu", kFault);
  options.compute = compute_of(options.computed);

  const auto found = explanations_of(options);

  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().faults.front().id, kFault);
  EXPECT_EQ(found.front().explained, found.front().failing);
}

TEST(Explain, AFaultAtOneNodeIsNotCalledOneEverywhere) {
  Fault fault = find_fault("rms_norm-without-one");
  fault.at = {"steps/000/text/layers/01/input_norm"};

  const auto found = explanations_of(with(fault));

  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().faults.front().id, "rms_norm-without-one");
  EXPECT_FALSE(found.front().everywhere);
}

TEST(Explain, RandomNumbersHaveNoName) {
  const std::string tap = "steps/000/text/layers/01/input_norm/out";
  const Tensor recorded = half_fixture().recording().read(tap);
  Tensor values = convert(recorded.view(), DType::f64);
  for (int64_t i = 0; i < values.view().count(); i += 3) values.f64()[i] *= 1.0 + 0.25 * static_cast<double>(i % 7);

  compare::RunOptions options = isolated();
  options.changed = {{tap, convert(values.view(), recorded.dtype())}};

  EXPECT_TRUE(explanations_of(options).empty());
}

TEST(Explain, TheCauseOfAnotherTapIsNotThatOfTheFirst) {
  Findings findings;
  Explanation later;
  later.tap = "steps/000/text/layers/02/mlp/down/out";
  later.faults = {find_fault("rms_norm-without-one")};
  findings.explanations = {later};

  EXPECT_THAT(findings.text("steps/000/text/layers/01/q_proj/out"),
              ::testing::HasSubstr("no known fault and no single change explains this"));
  EXPECT_THAT(findings.text(later.tap), ::testing::HasSubstr("rms_norm-without-one"));
}

/// A profile applies to the whole run, so it explains the first tap, whichever tap it was found at.
TEST(Explain, AProfileExplainsEveryTap) {
  Findings findings;
  Explanation profile;
  profile.tap = "steps/000/text/layers/02/mlp/down/out";
  profile.profile = "hf-5.18.0";
  findings.explanations = {profile};

  EXPECT_THAT(findings.text("steps/000/text/layers/01/q_proj/out"),
              ::testing::HasSubstr("is right under profile hf-5.18.0"));
}

TEST(Unnoticed, AnEpsThatTheRowsDrownIsToldAsSuchAndAMissingOneIsNoticed) {
  compare::RunOptions options = isolated();
  options.select = "*norm*";
  const auto report = compare::run_golden(half_fixture().golden(), options);

  const Unnoticed found = unnoticed_faults(half_fixture().golden(), options, report);

  EXPECT_THAT(found.faults, ::testing::Contains("rms_norm-eps-1e-5"));
  EXPECT_THAT(found.faults, ::testing::Not(::testing::Contains("rms_norm-without-one")));
  EXPECT_THAT(found.no_effect, ::testing::Contains("rms_norm-weight-in-bf16"));
  EXPECT_GT(found.tried, 9);
}

TEST(Explain, NothingFailsNothingIsExplained) { EXPECT_TRUE(explanations_of(isolated()).empty()); }

TEST(Matrix, AnUnplantableFaultIsNotKilled) {
  MatrixOptions options;
  options.goldens = {"golden/data/m3-items"};
  options.select = "rms_norm-one-added";  // for norms that multiply by w, while these multiply by 1 + w
  const Matrix matrix = run_matrix(options);

  ASSERT_EQ(matrix.rows.size(), 1U);
  EXPECT_EQ(matrix.rows[0].best(), nullptr);
  EXPECT_FALSE(matrix.holds());
}

TEST(Matrix, ThreadsDoNotChangeIt) {
  MatrixOptions options;
  options.goldens = {"golden/data/m3-items"};
  options.select = "rms_norm-*";
  options.threads = 1;
  const Matrix one = run_matrix(options);
  options.threads = 3;
  const Matrix three = run_matrix(options);

  ASSERT_EQ(one.rows.size(), three.rows.size());
  for (size_t i = 0; i < one.rows.size(); ++i) {
    ASSERT_EQ(one.rows[i].plantings.size(), three.rows[i].plantings.size());
    for (size_t j = 0; j < one.rows[i].plantings.size(); ++j) {
      EXPECT_EQ(one.rows[i].plantings[j].named, three.rows[i].plantings[j].named);
      EXPECT_EQ(one.rows[i].plantings[j].signal, three.rows[i].plantings[j].signal);
    }
  }
}

}  // namespace
}  // namespace parity::faults

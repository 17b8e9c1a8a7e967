// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Fused kernels on goldens: right ones pass, and a bug inside one is located to the nodes that it computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/goldens/golden_run.hpp"
#include "core/fusions/norm_rope.hpp"
#include "faults/computed.hpp"
#include "optimized/registry.hpp"

namespace parity::faults {
namespace {

using compare::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Judges a golden's plan with these fused kernels.
compare::GoldenReport judged(const std::string& name, const Fusions& fusions) {
  compare::RunOptions options;
  options.candidate = compare::RunOptions::Candidate::computed;
  options.computed = "cpu:fused";
  options.compute = [&](const golden::Golden& golden, const Plan& plan, const replay::TapSource& recorded) {
    return computation_of(unedited(plan), {"cpu:fused", &fusions}, golden.parameters(), recorded);
  };
  return compare::run_golden(golden::Golden::open("golden/data/" + name), options);
}

const compare::Record& record_of(const compare::GoldenReport& report, const std::string& tap) {
  for (const compare::Record& record : report.records) {
    if (record.tap == tap && record.mode == compare::Mode::isolated) return record;
  }
  throw std::out_of_range("no record of " + tap);
}

/// Runs the right kernel with a wrong gain.
template <class T>
void with_wrong_gain(const NormRope::Inputs& in, const NormRope::Params& params, const NormRope::Outputs& out,
                     Context& context) {
  ParamMap wrong{{"eps", params.eps}, {"gain_offset", 0.0}};  // the weight is used as the gain, without the 1
  Arguments inputs, outputs{{{out.out}, nullptr}};
  for (const TensorView& view : {in.x, in.weight, in.cos, in.sin}) inputs.push_back({{view}, nullptr});
  const char* type = sizeof(T) == sizeof(float) ? "f32" : "bf16";
  optimized::fusions().kernels().kernel("norm_rope", "cpu", type).run(inputs, wrong, outputs, context);
}

TEST(FusedKernels, HoldOnARecordingAndSayWhatRanFused) {
  const auto report = judged("m3-text-f32", optimized::fusions());

  EXPECT_EQ(report.verdict, Status::pass);
  EXPECT_THAT(report.notes,
              ::testing::Contains(HasSubstr("cpu:fused norm_rope_append, which end at steps/*/text/layers/*")));
  const auto& keys = record_of(report, "steps/000/text/layers/01/cache/k");
  EXPECT_THAT(keys.span, ElementsAre("steps/000/text/layers/01/attention/k_norm",
                                     "steps/000/text/layers/01/attention/k_rope", "steps/000/text/layers/01/cache/k"));
  EXPECT_THROW(static_cast<void>(record_of(report, "steps/000/text/layers/01/attention/k_norm/out")),
               std::out_of_range);
}

class PlantedInAFusedKernel : public ::testing::TestWithParam<const char*> {};

TEST_P(PlantedInAFusedKernel, IsLocatedToTheChain) {
  Fusions fusions;
  fusions.add<NormRope>("cpu", "f32", &with_wrong_gain<float>);
  fusions.add<NormRope>("cpu", "bf16", &with_wrong_gain<BFloat16>);

  const auto report = judged(GetParam(), fusions);

  EXPECT_EQ(report.verdict, Status::fail);
  ASSERT_TRUE(report.first_divergence.has_value());
  const std::string layer = "steps/000/text/layers/00/attention/";
  EXPECT_EQ(report.first_divergence->tap, layer + "q_rope/out");
  EXPECT_THAT(record_of(report, layer + "q_rope/out").span, ElementsAre(layer + "q_norm", layer + "q_rope"));
  EXPECT_EQ(record_of(report, "steps/000/text/layers/00/cache/k").status, Status::pass);
}

INSTANTIATE_TEST_SUITE_P(Goldens, PlantedInAFusedKernel, ::testing::Values("m3-text-f32", "m3-text-bf16"),
                         [](const auto& test) {
                           return std::string(test.param).substr(std::string(test.param).rfind('-') + 1);
                         });

}  // namespace
}  // namespace parity::faults

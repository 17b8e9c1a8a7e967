// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Statements of a capture on how its values were computed, and taps that other software computed for it.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/capture_cases.hpp"

namespace parity::compare {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace tests;

const fs::path kFloats = kData / "m3-text-f32";
const fs::path kHalves = kData / "m3-text-bf16";

class Stated : public ::testing::Test {
 protected:
  /// Judges a capture with these attributes and the golden's values, except for one tap.
  GoldenReport judged(const fs::path& golden, const std::string& tap, const Tensor& values,
                      const std::map<std::string, std::string>& attributes) {
    Changes changes;
    changes.values[tap] = values;
    for (const auto& [name, value] : attributes) changes.attributes[name] = value;
    RunOptions options = of_file(filled_capture(golden, scratch / "capture.h5", changes));
    options.select = tap;
    return judge(golden, options);
  }

  TemporaryFolder scratch;
};

/// Returns the golden's tap with each value changed by a function.
Tensor changed(const fs::path& golden, const std::string& tap, const std::function<double(int64_t, double)>& change) {
  const Tensor recorded = golden::Golden::open(golden).activations().read(tap);
  Tensor values = convert(recorded.view(), recorded.dtype());
  for (int64_t i = 0; i < values.view().count(); ++i)
    store_element(values.dtype(), values.view().data + i * size_of(values.dtype()),
                  change(i, recorded.view().value(i)));
  return values;
}

const std::string kActivation = "steps/000/text/layers/00/mlp/activation/out";
const std::string kFloatActivation = "steps/000/text/layers/02/mlp/activation/out";
const std::string kInputNormOfLayer1 = "steps/000/text/layers/01/input_norm/out";

/// Returns SwiGLU of the recorded gate and up, rounded once: correct, but not the oracle's rounding.
Tensor rounded_once() {
  const Tensor recorded = golden::Golden::open(kHalves).activations().read("steps/000/text/layers/00/mlp/gate_up/out");
  const TensorView& gate_up = recorded.view();
  const int64_t width = gate_up.shape.back() / 2;
  return changed(kHalves, kActivation, [&](int64_t i, double) {
    const int64_t at = i / width * 2 * width + i % width;
    const double gate = std::min(gate_up.value(at), 7.0), up = std::clamp(gate_up.value(at + width), -7.0, 7.0);
    return (up + 1.0) * gate / (1.0 + std::exp(-1.702 * gate));
  });
}

/// Returns the tap with relative errors of 50 ulp of binary32, alternately to both sides.
Tensor with_coarse_functions(const std::string& tap) {
  return changed(kFloats, tap, [](int64_t i, double x) { return x * (1.0 + (i % 2 == 0 ? 100.0 : -100.0) * 0x1p-24); });
}

TEST_F(Stated, TheOraclesRoundingsAreAskedFor) {
  const Tensor values = rounded_once();

  EXPECT_EQ(judged(kHalves, kActivation, values, {}).answer, Answer::rounds_differently);
  EXPECT_EQ(judged(kHalves, kActivation, values, {{"rounding", "own"}}).answer, Answer::rounds_differently);
  EXPECT_EQ(judged(kHalves, kActivation, values, {{"rounding", "rms_norm=oracle"}}).answer, Answer::rounds_differently);
  EXPECT_EQ(judged(kHalves, kActivation, values, {{"rounding", "oracle"}}).answer, Answer::wrong);
  EXPECT_EQ(judged(kHalves, kActivation, values, {{"rounding", "oracle swiglu=own"}}).answer,
            Answer::rounds_differently);
}

TEST_F(Stated, RoundingsOfItsOwnGrowNoBound) {
  const Tensor values = changed(kHalves, kActivation, [](int64_t, double x) { return 1.02 * x; });

  EXPECT_EQ(judged(kHalves, kActivation, values, {{"rounding", "own"}}).answer, Answer::wrong);
}

TEST_F(Stated, AccuracyOfFunctionsTakesThePlaceOfSixteenUlp) {
  const Tensor values = with_coarse_functions(kFloatActivation);

  EXPECT_EQ(judged(kFloats, kFloatActivation, values, {}).answer, Answer::wrong);
  EXPECT_EQ(judged(kFloats, kFloatActivation, values, {{"function_ulps", "router=64"}}).answer, Answer::wrong);
  const GoldenReport stated = judged(kFloats, kFloatActivation, values, {{"function_ulps", "swiglu=64"}});
  EXPECT_EQ(stated.answer, Answer::rounds_differently) << complaints(stated);
  EXPECT_THAT(stated.capture->stated, ElementsAre("function_ulps swiglu=64"));
}

TEST_F(Stated, AccuracyOfFunctionsWidensNothingElse) {
  EXPECT_EQ(
      judged(kFloats, kInputNormOfLayer1, with_coarse_functions(kInputNormOfLayer1), {{"function_ulps", "64"}}).answer,
      Answer::wrong);
}

TEST_F(Stated, ComponentsThatThePlanLacksAreNotShown) {
  const Tensor values = changed(kFloats, kInputNormOfLayer1, [](int64_t, double x) { return x; });

  const GoldenReport report = judged(kFloats, kInputNormOfLayer1, values, {{"rounding", "rms_nrm=oracle"}});

  EXPECT_EQ(report.answer, Answer::not_shown);
  EXPECT_THAT(report.not_shown,
              Contains(HasSubstr("'rms_nrm' matches no component of the model (did you mean 'rms_norm'")));
}

/// Wrong values of a tap that other software computed are neither a failure nor a pass.
TEST_F(Stated, LentTapsAreReadAndNotJudged) {
  Changes changes;
  changes.tap_attributes[golden::kComputed] = golden::kLent;

  const GoldenReport report = judge(kFloats, of_file(filled_capture(kFloats, scratch / "lent.h5", changes)));

  EXPECT_FALSE(is_green(report.verdict));
  EXPECT_EQ(report.taps.judged, 0);
  EXPECT_THAT(report.capture->not_computed, Contains(HasSubstr("taps computed by other software (lent)")));
  for (const Record& record : report.records) EXPECT_EQ(record.status, Status::skipped) << record.tap;
}

}  // namespace
}  // namespace parity::compare

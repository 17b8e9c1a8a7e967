// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/readings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/goldens/golden_run.hpp"
#include "reference/reference.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;

std::vector<Reading> readings(const std::string& component, bool narrow, bool fuses = false) {
  static std::vector<std::unique_ptr<Node>> nodes;
  nodes.push_back(std::make_unique<Node>());
  Node& node = *nodes.back();
  node.component = component;
  node.inputs["x"] = {{Operand::Kind::tap, "x", ""}};
  return readings_of({node, reference::registry().component(component), {}, narrow, fuses});
}

int64_t count(const std::vector<Reading>& list, const std::string& kind) {
  return std::count_if(list.begin(), list.end(), [&](const Reading& r) { return r.kind == kind; });
}

TEST(Readings, OfBinary32AreCoarseFunctionsOnly) {
  EXPECT_TRUE(readings("rms_norm", false).empty());
  const auto router = readings("router", false);
  ASSERT_EQ(router.size(), 1U);
  EXPECT_EQ(router[0].kind, "function");
  EXPECT_EQ(router[0].variation.function_ulps, kCoarseLibraryUlps);
}

TEST(Readings, RoundOnceFirst) {
  const auto list = readings("swiglu", true);

  EXPECT_EQ(list.front().by, Reading::By::exact);
  EXPECT_EQ(count(list, "rounding"), 1 + (1 << 6) - 2);  // rounded once, and each proper subset of six points
}

TEST(Readings, OfElementsOfTheirOwnHaveNoBoundsWithoutBits) {
  for (const Reading& reading : readings("swiglu", true)) EXPECT_NE(reading.by, Reading::By::bounds);
  EXPECT_EQ(readings("attention_dense", true)[1].by, Reading::By::bounds);
}

TEST(Readings, KeepPublishedWeightsOnlyWhereTheOracleRoundsThem) {
  const Definition& linear = reference::registry().component("linear");
  Node node;
  node.component = "linear";
  ReadingsOf what{node, linear, {}, true, false};

  EXPECT_EQ(count(readings_of(what), "weights"), 0);
  what.rounds_weights = true;
  EXPECT_GT(count(readings_of(what), "weights"), 0);
  what.oracles_roundings = true;
  EXPECT_EQ(count(readings_of(what), "weights"), 0);
}

TEST(Readings, FuseOnlyWhereProducersCanBeComputedAgain) {
  EXPECT_EQ(count(readings("rms_norm", true), "fusion"), 0);
  const auto list = readings("rms_norm", true, true);
  EXPECT_GT(count(list, "fusion"), 0);
  for (const Reading& reading : list) {
    EXPECT_EQ(reading.variation.unrounded, reading.kind == "fusion" ? "x" : "") << reading.text;
  }
}

TEST(Readings, HeadsOfAttentionHaveRoundingsOfTheirOwn) {
  const AxisSizes sizes{{'A', 4}, {'D', 12}};

  EXPECT_EQ(sharing_of(reference::registry().component("attention_dense"), "B,S,AD", sizes), 12);
  EXPECT_EQ(sharing_of(reference::registry().component("vision_attention"), "1,P,A,D", sizes), 12);
  EXPECT_EQ(sharing_of(reference::registry().component("rms_norm"), "B,S,AD", sizes), 0) << "one mean for all heads";
}

TEST(Readings, OfACandidateThatClaimsTheOraclesRoundingsAreFunctionsAlone) {
  const Definition& swiglu = reference::registry().component("swiglu");
  Node node;
  node.component = "swiglu";
  ReadingsOf what{node, swiglu, {}, true, true};
  what.oracles_roundings = true;
  what.function_ulps = 64.0;

  const auto list = readings_of(what);

  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].variation.function_ulps, 64.0);
  EXPECT_TRUE(list[0].variation.widened.empty());
  EXPECT_THAT(list[0].text, HasSubstr("within 64 ulp"));
}

const std::string kHalfGoldenFolder = "golden/data/m3-text-bf16";

/// Judges by bounds the golden with one tap changed.
GoldenReport judged(const std::string& tap, const std::function<double(double)>& change) {
  const auto golden = golden::Golden::open(kHalfGoldenFolder);
  const Tensor recorded = golden.activations().read(tap);
  Tensor values = convert(recorded.view(), recorded.dtype());
  for (int64_t i = 0; i < values.view().count(); ++i)
    store_element(values.dtype(), values.view().data + i * size_of(values.dtype()), change(recorded.view().value(i)));
  RunOptions options;
  options.changed = {{tap, values}};
  options.mode = Mode::isolated;
  options.policy = Policy::bounds;
  options.select = tap;
  return run_golden(golden, options);
}

const std::string kInputNorm = "steps/000/text/layers/01/input_norm/out";

TEST(ThreeAnswers, TheRecordingConforms) {
  EXPECT_EQ(judged(kInputNorm, [](double x) { return x; }).answer, Answer::conforms);
}

TEST(ThreeAnswers, ANarrowerTypeIsWrong) {
  const auto report = judged(kInputNorm, [](double x) { return round_to(DType::e4m3fn, x); });

  EXPECT_EQ(report.answer, Answer::wrong);
  EXPECT_EQ(report.first_divergence->tap, kInputNorm);
}

}  // namespace
}  // namespace parity::compare

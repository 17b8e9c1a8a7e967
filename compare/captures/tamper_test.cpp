// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// End to end: a wrong value fails at its tap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/golden_cases.hpp"

namespace parity::compare {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using namespace tests;

struct Tampering {
  const char* golden;
  const char* tap;
};

std::ostream& operator<<(std::ostream& stream, const Tampering& place) {
  return stream << place.golden << "#" << place.tap;
}

constexpr Tampering kPlaces[] = {
    {"m3-text-bf16", "steps/000/text/embed/out"},
    {"m3-text-bf16", "steps/000/text/rope/cos"},
    {"m3-text-bf16", "steps/000/text/layers/00/input_norm/out"},
    {"m3-text-bf16", "steps/001/text/layers/01/attention/q_proj/out"},
    {"m3-text-bf16", "steps/003/text/layers/01/attention/k_rope/out"},
    {"m3-text-bf16", "steps/003/text/layers/01/cache/v"},
    {"m3-text-bf16", "steps/000/text/layers/01/attention/indexer/block_scores"},
    {"m3-text-bf16", "steps/000/text/layers/01/attention/core/out"},
    {"m3-text-bf16", "steps/000/text/layers/01/moe/router/scores"},
    {"m3-text-bf16", "steps/000/text/layers/01/moe/router/weights"},
    {"m3-text-bf16", "steps/000/text/layers/01/moe/experts/out"},
    {"m3-text-bf16", "steps/000/text/layers/00/mlp/activation/out"},
    {"m3-text-bf16", "steps/003/text/layers/01/out"},
    {"m3-text-bf16", "steps/003/text/lm_head/out"},
    {"m3-text-bf16", "steps/000/loss"},
    {"m3-text-f32", "steps/001/text/layers/00/moe/shared/down/out"},
    {"m3-text-f64", "steps/002/text/layers/01/post_attention_norm/out"},
    {"m3-text-only-aux", "steps/000/text/layers/01/out"},
    {"m3-text-only-aux", "steps/000/aux_loss"},
    {"m3-text-partial-bf16", "steps/000/text/layers/01/out"},
    {"m3-text-pergroup-bf16", "steps/000/text/layers/01/attention/o_proj/out"},
    {"m3-text-sdpa-bf16", "steps/000/text/layers/01/moe/out"},
    {"m3-vl-bf16", "steps/000/vision/image/patch_embed/out"},
    {"m3-vl-bf16", "steps/000/vision/image/pre_norm/out"},
    {"m3-vl-bf16", "steps/000/vision/video/rope/sin"},
    {"m3-vl-bf16", "steps/000/vision/video/layers/01/attention/core/out"},
    {"m3-vl-bf16", "steps/000/vision/image/layers/00/mlp/activation/out"},
    {"m3-vl-bf16", "steps/000/vision/image/projector/linear_2/out"},
    {"m3-vl-bf16", "steps/000/vision/video/merger/in"},
    {"m3-vl-bf16", "steps/000/splice/out"},
    {"m3-vl-f32", "steps/000/vision/image/layers/01/attention/q_rope/out"},
    {"m3-vl-f32", "steps/000/vision/image/layers/00/attention/core/out"},
    {"m3-vl-f32", "steps/000/aux_loss"},
};

class Tampered : public ::testing::TestWithParam<Tampering> {
 protected:
  void SetUp() override {
    file.emplace(golden::ActivationFile::open(source() / "activations.h5"));
    ASSERT_TRUE(file->contains(GetParam().tap));
    changes.values[GetParam().tap] = tampered(file->read(GetParam().tap));
  }
  fs::path source() const { return kData / GetParam().golden; }

  void expect_named(const GoldenReport& report) const {
    EXPECT_EQ(report.verdict, Status::fail) << complaints(report);
    ASSERT_TRUE(report.first_divergence.has_value());
    EXPECT_EQ(report.first_divergence->tap, GetParam().tap) << complaints(report);
    const Record* record = find(report, GetParam().tap);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->component, report.first_divergence->component);
    EXPECT_EQ(record->failed, 1);
    EXPECT_THAT(record->repro, HasSubstr(std::string("#") + GetParam().tap + "'"));
  }

  TemporaryFolder scratch;
  std::optional<golden::ActivationFile> file;
  Changes changes;
};

INSTANTIATE_TEST_SUITE_P(OneElement, Tampered, ::testing::ValuesIn(kPlaces), [](const auto& place) {
  std::string name = std::string(place.param.golden) + "_" + place.param.tap;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST_P(Tampered, GoldenIsNamedAsTheFirstDivergence) {
  expect_named(judge(copy_golden(source(), scratch / "copy", changes), only(Mode::isolated)));
}

TEST_P(Tampered, CaptureIsNamedAsTheFirstDivergence) {
  RunOptions options = only(Mode::isolated);
  options.candidate = RunOptions::Candidate::capture;
  options.capture = scratch / "capture.h5";
  (void)replay::tests::Copy(*file, options.capture, changes);

  expect_named(judge(source(), options));
}

/// Returns (clamp(up) + 1) g sigmoid(alpha g) as a fused kernel computes it, rounded to bf16 only at the end.
TEST(RoundedOnce, SwigluIsNotTheOraclesBits) {
  const TemporaryFolder scratch;
  const std::string tap = "steps/000/text/layers/00/mlp/activation/out";
  const auto file = golden::ActivationFile::open(kData / "m3-text-bf16" / "activations.h5");
  const Tensor gate_up = widen(file.read("steps/000/text/layers/00/mlp/gate_up/out"));
  Tensor fused = file.read(tap);
  const int64_t width = fused.shape().back();
  for (int64_t i = 0; i < fused.view().count(); ++i) {
    const double* row = gate_up.f64() + i / width * 2 * width;
    const double gate = std::min(row[i % width], 7.0);
    const double up = std::clamp(row[width + i % width], -7.0, 7.0);
    fused = i == 0 ? convert(fused.view(), DType::bf16) : fused;
    store_element(DType::bf16, fused.view().data + 2 * i, (up + 1.0) * gate / (1.0 + std::exp(-1.702 * gate)));
  }
  Changes changes;
  changes.values[tap] = fused;
  const GoldenReport report =
      judge(copy_golden(kData / "m3-text-bf16", scratch / "copy", changes), only(Mode::isolated, tap));

  ASSERT_EQ(report.records.size(), 1U);
  EXPECT_EQ(report.records[0].failed, 0) << "more exact than the oracle, element by element";
  EXPECT_EQ(report.verdict, Status::fail);
  EXPECT_THAT(report.records[0].reason, HasSubstr("differ from the oracle's bits"));
}

TEST(Mismatches, AreVerdictsInEveryMode) {
  const TemporaryFolder scratch;
  const std::string shape = "steps/000/text/final_norm/out";
  const std::string type = "steps/001/text/final_norm/out";
  const auto file = golden::ActivationFile::open(kData / "m3-text-f32" / "activations.h5");
  Changes changes;
  changes.values[shape] = Tensor(DType::f32, {2, 33, 13}, "B,S,H");
  changes.values[type] = convert(file.read(type).view(), DType::f64);
  const auto copy = copy_golden(kData / "m3-text-f32", scratch / "copy", changes);

  for (const Mode mode : {Mode::isolated, Mode::chained, Mode::forced}) {
    const GoldenReport report = judge(copy, only(mode));
    ASSERT_TRUE(find(report, shape, mode) != nullptr && find(report, type, mode) != nullptr) << to_string(mode);
    EXPECT_EQ(find(report, shape, mode)->status, Status::fail);
    EXPECT_THAT(find(report, shape, mode)->reason, HasSubstr("(2, 33, 13), expected (2, 33, 14)"));
    EXPECT_EQ(find(report, type, mode)->status, Status::error);
    EXPECT_THAT(find(report, type, mode)->reason, HasSubstr("is f64, expected f32"));
    EXPECT_EQ(report.first_divergence->tap, shape);
    EXPECT_EQ(report.taps.unknown, 0);
    EXPECT_EQ(complaints(report).find("lm_head"), std::string::npos) << "what hangs on it is walked instead";
    const GoldenReport elsewhere = judge(copy, only(mode, "*/router/*"));
    EXPECT_EQ(elsewhere.verdict, Status::pass) << complaints(elsewhere);
  }
}

}  // namespace
}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/golden.hpp"

#include <gmock/gmock.h>

#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using test::error_of;
using test::SmallGolden;
using test::write_golden;
using ::testing::AllOf;
using ::testing::HasSubstr;

class GoldenTest : public ::testing::Test {
 protected:
  std::string refusal(const SmallGolden& options) {
    write_golden(folder_ / "g", options);
    return error_of([&] { (void)Golden::open(folder_ / "g"); });
  }
  std::string refusal_with(const std::string& attribute, const AttributeValue& value) {
    SmallGolden options;
    options.root[attribute] = value;
    return refusal(options);
  }

  TemporaryFolder folder_;
};

TEST_F(GoldenTest, TellsWhatWasRun) {
  const Golden golden = Golden::open(write_golden(folder_ / "small"));

  EXPECT_EQ(golden.name(), "small");
  EXPECT_EQ(golden.facts().system, "minimax_m2");
  EXPECT_EQ(golden.facts().profile, "hf-5.1.0");
  EXPECT_EQ(golden.facts().dtype, DType::bf16);
  EXPECT_EQ(golden.facts().seed, 7);
  EXPECT_EQ(golden.config()["hidden_size"], 4);
  EXPECT_TRUE(golden.warnings().empty());
  EXPECT_EQ(golden.weights().names().size(), 2U);
}

TEST_F(GoldenTest, IsNamedByItsFolderOrByItsFile) {
  write_golden(folder_ / "small");
  std::filesystem::copy(folder_ / "small/activations.h5", folder_ / "small/other.h5");

  EXPECT_EQ(Golden::open(folder_ / "small/").name(), "small");
  EXPECT_EQ(Golden::open(folder_ / "small/activations.h5").name(), "small");
  EXPECT_EQ(Golden::open(folder_ / "small/other.h5").name(), "other");
}

TEST_F(GoldenTest, StepsTellTheirSizes) {
  const Golden golden = Golden::open(write_golden(folder_ / "small"));

  ASSERT_EQ(golden.steps().size(), 3U);
  const StepInfo& last = golden.steps()[2];
  EXPECT_EQ(last.id, "002");
  EXPECT_EQ(last.kind, StepKind::chunk);
  EXPECT_EQ(last.B, 2);
  EXPECT_EQ(last.S, 2);
  EXPECT_EQ(last.K, 6);
  EXPECT_FALSE(last.has_labels);
  EXPECT_EQ(last.tap("text/embed/out"), "steps/002/text/embed/out");
}

TEST_F(GoldenTest, AMissingObligatoryTapIsNamed) {
  for (const std::string tap : {"input_ids", "position_ids", "attention_mask"}) {
    const std::string path = "steps/001/tokens/" + tap;
    EXPECT_THAT(refusal({.without = {path}}),
                HasSubstr("required tap " + path + " is missing; record the golden again"));
  }
}

TEST_F(GoldenTest, IndependentStepsNeedOnlyTheirTokens) {
  SmallGolden options;
  for (const std::string step : {"000", "001", "002"}) {
    options.without.push_back("steps/" + step + "/tokens/position_ids");
    options.without.push_back("steps/" + step + "/tokens/attention_mask");
  }
  options.more = [](ActivationWriter& writer) {
    for (const std::string step : {"000", "001", "002"})
      writer.group_attribute("steps/" + step, "independent", int64_t{1});
  };

  const Golden golden = Golden::open(write_golden(folder_ / "small", options));

  EXPECT_TRUE(golden.steps()[1].independent);
  EXPECT_EQ(golden.steps()[2].K, 2);
}

TEST_F(GoldenTest, ATowerNeedsOnlyItsPixels) {
  SmallGolden options;
  options.more = [](ActivationWriter& writer) {
    writer.group_attribute("steps/003", "kind", "vision");
    writer.write("steps/003/vision/image/pixel_values", test::random_bits(DType::f32, {4, 6}, 1).view(),
                 {"P,F", "input", "input"});
  };
  const Golden golden = Golden::open(write_golden(folder_ / "small", options));
  options.more = [](ActivationWriter& writer) { writer.group_attribute("steps/003", "kind", "vision"); };

  EXPECT_FALSE(golden.steps()[3].has_tokens);
  EXPECT_THAT(refusal(options), HasSubstr("required tap steps/003/vision/image/pixel_values is missing"));
}

TEST_F(GoldenTest, AnotherFormatIsRefused) {
  SmallGolden options;
  options.more = [](ActivationWriter&) {};
  write_golden(folder_ / "g");
  const auto bytes = test::bytes_of(folder_ / "g/activations.h5");
  // The attributes are in a text heap without a checksum, so a test can change them.
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string copy = bytes;
    copy.replace(copy.find(from), from.size(), to);
    test::write_bytes(folder_ / "g/activations.h5", copy);
    return error_of([&] { (void)Golden::open(folder_ / "g"); });
  };

  EXPECT_THAT(changed("parity-golden", "parity-silver"), HasSubstr("format is 'parity-silver', not 'parity-golden'"));
  EXPECT_THAT(changed("1.0", "2.0"), HasSubstr("format version 2.0 is not 1.x"));
  EXPECT_THAT(changed("1.0", "1x0"), HasSubstr("format version 1x0 is not 1.x"));
}

TEST_F(GoldenTest, FactsAreChecked) {
  EXPECT_THAT(refusal_with("dtype", "int4"), HasSubstr("dtype 'int4' is not bf16, f32 or f64"));
  EXPECT_THAT(refusal_with("system", ""), HasSubstr("the root group has no attribute system"));
}

TEST_F(GoldenTest, ConfigurationsMustBeEqualAndJson) {
  EXPECT_THAT(
      refusal({.config = R"({"model_type": "minimax_m2", "hidden_size": 4, "rms_norm_eps": 1e-05})"}),
      AllOf(HasSubstr("config.json differs from the recorded configuration at /rms_norm_eps: 1e-05 and 1e-06")));
  EXPECT_THAT(refusal({.config = R"({"model_type": "minimax_m2", "rms_norm_eps": 1e-06})"}),
              HasSubstr("/hidden_size: missing and 4"));
  EXPECT_THAT(refusal({.config = R"({"hidden_size": NaN})"}), HasSubstr("NaN and Infinity are not allowed"));
  EXPECT_THAT(refusal({.config = std::string(100000, '[')}), HasSubstr("nested more than 64 levels deep"));
  EXPECT_THAT(refusal({.config = "[1]"}), HasSubstr("not a JSON object"));
}

TEST_F(GoldenTest, OneConfigurationIsEnoughAndTwoAreCompared) {
  const Golden unrecorded = Golden::open(write_golden(folder_ / "a", {.without = {"config"}}));
  const Golden bare = Golden::open(write_golden(folder_ / "b", {.checkpoint = false}));

  EXPECT_EQ(unrecorded.warnings().size(), 1U);
  EXPECT_EQ(bare.config()["hidden_size"], 4);
  EXPECT_EQ(bare.warnings().size(), 1U);
  EXPECT_THAT(error_of([&] { (void)bare.weights(); }), HasSubstr("No such file"));
  EXPECT_THAT(refusal({.without = {"config"}, .checkpoint = false}), HasSubstr("copy the checkpoint there"));
}

TEST_F(GoldenTest, WhatIsNotThereIsNamed) {
  EXPECT_THAT(error_of([&] { (void)Golden::open(folder_ / "none"); }), HasSubstr("no such golden"));
  EXPECT_THAT(error_of([&] { (void)Golden::open(folder_.path()); }), HasSubstr("contains no activations.h5"));
}

}  // namespace
}  // namespace parity::golden

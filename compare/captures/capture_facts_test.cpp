// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A capture is judged by the attention, experts and working type that it states.
#include "compare/captures/capture_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/golden_cases.hpp"
#include "golden/files/sha256.hpp"

namespace parity::compare {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using namespace tests;

const fs::path kHalfGolden = kData / "m3-text-bf16";

RunOptions of_capture(const fs::path& capture) {
  RunOptions options = only(Mode::isolated);
  options.candidate = RunOptions::Candidate::capture;
  options.capture = capture;
  return options;
}

fs::path capture_with(const fs::path& target, const Changes& changes) {
  (void)replay::tests::Copy(golden::ActivationFile::open(kHalfGolden / "activations.h5"), target, changes);
  return target;
}

Changes with_attribute(const std::string& name, const std::string& value) {
  Changes changes;
  changes.attributes[name] = value;
  return changes;
}

TEST(Capture, OfAnotherTypeOrSystemIsRefusedInOneLine) {
  const TemporaryFolder scratch;
  const std::map<std::string, std::string> others{{"dtype", "f32"}, {"system", "minimax_m2"}};
  for (const auto& [name, value] : others) {
    const auto capture = capture_with(scratch / (name + ".h5"), with_attribute(name, value));
    try {
      (void)judge(kHalfGolden, of_capture(capture));
      ADD_FAILURE() << name << ": no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::schema);
      EXPECT_THAT(error.what(), HasSubstr(name + " of the capture is '" + value + "'"));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

/// Returns the message with which judging `capture` against kHalfGolden is refused, or an empty string if it is not.
std::string refusal(const fs::path& capture) {
  try {
    (void)judge(kHalfGolden, of_capture(capture));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::schema);
    return error.what();
  }
  return "";
}

TEST(Capture, ThatNamesAnotherGoldenOrOtherWeightsIsRefused) {
  const TemporaryFolder scratch;
  const std::string sha = golden::sha256_of_file(kHalfGolden / "activations.h5");
  const std::map<std::string, std::string> others{
      {"golden", "m3-text-f32"}, {"golden_sha256", std::string(64, '0')}, {"seed", "4711"}};
  for (const auto& [name, value] : others) {
    EXPECT_THAT(refusal(capture_with(scratch / (name + ".h5"), with_attribute(name, value))),
                AllOf(HasSubstr(name + " of the capture is '" + value + "'"), HasSubstr("run your engine on")));
  }
  Changes right;
  right.attributes = {{"golden", "m3-text-bf16"}, {"golden_sha256", sha}};
  EXPECT_EQ(refusal(capture_with(scratch / "right.h5", right)), "");
}

// An unknown format version is refused, because the reader could misread or skip parts of the file.
TEST(Capture, OfAnUnknownFormatIsRefused) {
  const TemporaryFolder scratch;
  for (const char* version : {"9.9", "2.0", "1.x", "one"}) {
    EXPECT_THAT(refusal(capture_with(scratch / "other.h5", with_attribute("format_version", version))),
                AllOf(HasSubstr("other.h5: format version " + std::string(version)), HasSubstr("is not 1.x")));
  }
  EXPECT_THAT(refusal(capture_with(scratch / "later.h5", with_attribute("format_version", "1.7"))), "");
}

TEST(Capture, OfAnotherProfileIsRefusedUnlessItIsAskedFor) {
  const TemporaryFolder scratch;
  const auto capture = capture_with(scratch / "other.h5", with_attribute("profile", "hf-5.13.0"));
  EXPECT_THAT(refusal(capture),
              AllOf(HasSubstr("profile of the capture is 'hf-5.13.0', that of the golden is 'hf-5.12.0'"),
                    HasSubstr("--profile")));
  RunOptions options = of_capture(capture);
  options.profile = "hf-5.13.0";
  EXPECT_NO_THROW((void)judge(kHalfGolden, options));
}

// A misspelt attribute is refused, because the statement in it would be ignored.
TEST(Capture, WithAnAttributeThatNobodyKnowsIsRefusedWithTheNearest) {
  const TemporaryFolder scratch;
  const std::map<std::string, std::string> slips{
      {"roundng", "rounding"}, {"ids_ordr", "ids_order"}, {"nothng", "nothing"}, {"captre", "capture"}};
  for (const auto& [slip, known] : slips) {
    EXPECT_THAT(refusal(capture_with(scratch / "slip.h5", with_attribute(slip, "own"))),
                AllOf(HasSubstr("slip.h5: attribute " + slip + " of the root is not known (did you mean '" + known),
                      HasSubstr("x_")));
  }
  for (const char* foreign : {"x_engine", "_NCProperties", "CLASS"})
    EXPECT_EQ(refusal(capture_with(scratch / "foreign.h5", with_attribute(foreign, "another tool's"))), "") << foreign;
}

TEST(Capture, WithATapOrWeightsOfAnUnknownAttributeIsRefused) {
  const TemporaryFolder scratch;
  Changes tap, weights;
  tap.added_attributes["steps/000/text/embed/out"] = {{"nothng", "-1e30"}};
  weights.weights_attributes["onw"] = "yes";
  EXPECT_THAT(refusal(capture_with(scratch / "tap.h5", tap)),
              AllOf(HasSubstr("attribute nothng of steps/000/text/embed/out is not known (did you mean 'nothing'")));
  EXPECT_THAT(refusal(capture_with(scratch / "weights.h5", weights)), HasSubstr("attribute onw of weights"));
  const std::string weight = "weights/language_model.model.norm.weight";
  Changes own;
  own.values[weight] = Tensor(DType::f32, {4}, "H");
  own.added_attributes[weight] = {{"axis", "H"}};
  EXPECT_THAT(refusal(capture_with(scratch / "weight.h5", own)),
              HasSubstr("attribute axis of " + weight + " is not known"));
  tap.added_attributes["steps/000/text/embed/out"] = {{"x_nothng", "mine"}};
  EXPECT_EQ(refusal(capture_with(scratch / "own.h5", tap)), "");
}

TEST(Capture, OfAnotherModelIsRefusedByItsConfig) {
  const TemporaryFolder scratch;
  const auto text = golden::ActivationFile::open(kHalfGolden / "activations.h5").read_text("config");
  auto config = nlohmann::json::parse(text);
  config["transformers_version"] = "9.9.9";
  Changes written, other;
  written.texts["config"] = config.dump();
  config["text_config"]["rope_theta"] = 12345.0;
  other.texts["config"] = config.dump();

  EXPECT_EQ(refusal(capture_with(scratch / "written.h5", written)), "") << "who wrote it does not matter";
  EXPECT_THAT(refusal(capture_with(scratch / "other.h5", other)),
              AllOf(HasSubstr("/text_config/rope_theta"), HasSubstr("12345"), HasSubstr("the golden's model")));
}

TEST(Capture, ThatHoldsCallsWhichTheGoldenHasNotIsRefused) {  // left over from a longer run
  const TemporaryFolder scratch;
  Changes longer;
  longer.values["steps/009/text/final_norm/out"] = Tensor(DType::bf16, {2, 1, 14}, "B,S,H");

  EXPECT_THAT(
      refusal(capture_with(scratch / "longer.h5", longer)),
      AllOf(HasSubstr("the capture has steps/009/text/final_norm/out"), HasSubstr("run your engine on this golden")));
}

TEST(Capture, OfSdpaIsNotHeldToTheBitsOfAnEagerGolden) {
  const TemporaryFolder scratch;
  const fs::path sdpa = kData / "m3-text-sdpa-bf16";
  const auto eager = copy_golden(sdpa, scratch / "eager", with_attribute("attention", "eager"));

  EXPECT_EQ(judge(eager, only(Mode::isolated)).verdict, Status::fail) << "it says eager and is not";
  const fs::path capture = scratch / "capture.h5";  // marked, because with these bits it would count as a copy
  (void)replay::tests::Copy(golden::ActivationFile::open(sdpa / "activations.h5"), capture,
                            with_attribute("capture", "declared"));
  const GoldenReport report = judge(eager, of_capture(capture));
  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
}

/// An unknown implementation name is refused: a spelling error must not lift the rules for rounding.
TEST(Capture, OfAnImplementationThatIsNoneIsRefused) {
  const TemporaryFolder scratch;

  EXPECT_THAT(
      refusal(capture_with(scratch / "attention.h5", with_attribute("attention", "rubbish"))),
      AllOf(HasSubstr("attention of the capture is 'rubbish'"), HasSubstr("eager, sdpa, "), HasSubstr("other")));
  EXPECT_THAT(refusal(capture_with(scratch / "experts.h5", with_attribute("experts", "grouped"))),
              HasSubstr("use eager, grouped_mm, batched_mm, other"));
  for (const char* known : {"flash_attention_2", "other"})
    EXPECT_EQ(refusal(capture_with(scratch / (std::string(known) + ".h5"), with_attribute("attention", known))), "");
}

TEST(Capture, OfAnUnknownAttentionIsJudgedUnderTheGoldensPlan) {
  const auto golden = golden::Golden::open(kHalfGolden);

  EXPECT_EQ(planned_attention(golden, {"flash_attention_3", "eager"}), "eager");
  EXPECT_EQ(planned_attention(golden, {"sdpa", "eager"}), "sdpa");
}

TEST(Capture, WithoutAttributesIsTakenForWhatTheGoldenIs) {
  const TemporaryFolder scratch;
  const auto capture = golden::ActivationFile::open(
      capture_with(scratch / "bare.h5", {{}, {}, {}, {{"attention", ""}, {"experts", ""}, {"dtype", ""}}, true}));
  const Implementation bare = implementation_of(golden::Golden::open(kHalfGolden), capture);

  EXPECT_EQ(bare.attention, "eager");
  EXPECT_EQ(bare.experts, "eager");
}

TEST(Capture, OfFewTapsSaysSo) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.dropped = {"steps/00?/text/layers/*/attention/*"};
  RunOptions options = only(Mode::isolated);
  options.candidate = RunOptions::Candidate::capture;
  options.capture = capture_with(scratch / "few.h5", changes);
  const GoldenReport report = judge(kHalfGolden, options);

  EXPECT_THAT(report.notes, Contains(ContainsRegex("the capture contains [0-9]+ of the [0-9]+ taps")));
}

TEST(FreeRounding, IsForTilesAndOrdersOfSumsThatAreTheImplementationsOwn) {
  EXPECT_THAT(free_rounding({"eager", "eager"}), IsEmpty());
  EXPECT_THAT(free_rounding({"sdpa", "eager"}),
              UnorderedElementsAre("attention_dense", "attention_block_sparse", "vision_attention"));
  EXPECT_THAT(free_rounding({"eager", "grouped_mm"}), ElementsAre("moe_experts"));
}

}  // namespace
}  // namespace parity::compare

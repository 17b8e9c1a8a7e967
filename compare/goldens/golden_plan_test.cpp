// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plans made from goldens: when the router's aux loss is part of the loss.
#include "replay/captures/golden_plan.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "compare/testing/golden_cases.hpp"
#include "core/testing/refusal.hpp"

namespace parity::compare {
namespace {

using namespace tests;
using replay::plan_of;
using ::testing::HasSubstr;

constexpr const char* kName = "m3-text-f32";

nlohmann::json published() { return golden::Golden::open(kData / kName).config(); }

/// Writes a copy of an embedded golden with another configuration.
golden::Golden configured(const nlohmann::json& config, const fs::path& target) {
  Changes changes;
  changes.texts["config"] = config.dump();
  copy_golden(kData / kName, target, changes);
  std::ofstream(target / "checkpoint" / "config.json") << config.dump();
  return golden::Golden::open(target);
}

int64_t aux_nodes(const Plan& plan) {
  return std::count_if(plan.nodes.begin(), plan.nodes.end(),
                       [](const Node& node) { return node.component == "router_aux_loss"; });
}

/// Returns num_items of the first loss in the plan of a golden.
double items(const std::string& name, const std::string& profile) {
  const Plan plan = plan_of(golden::Golden::open(kData / name), profile, "");
  const auto loss = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                 [](const Node& node) { return node.component == "cross_entropy"; });
  return std::get<double>(loss->params.at("num_items"));
}

TEST(GoldenPlan, ItemsReachTheLossOfSomeClassesOnly) {
  for (const char* profile : {"hf-5.12.0", "hf-5.16.1", "hf-5.17.0", "hf-5.23.0"})
    EXPECT_EQ(items("m3-text-only-items", profile), 57.0) << profile;
  EXPECT_EQ(items("m3-items", "hf-5.12.0"), 0.0);  // the multimodal class ignores num_items
  EXPECT_EQ(items("m3-items", "hf-5.16.1"), 0.0);
  EXPECT_EQ(items("m3-items", "hf-5.17.0"), 57.0);
  EXPECT_EQ(items("m3-items", "hf-5.23.0"), 57.0);
  EXPECT_EQ(items("m3-text-f32", "hf-5.23.0"), 0.0);  // the call had no num_items
}

TEST(AuxLoss, OfTheTextOnlyClassIsPartOfTheLossWithoutBeingRecorded) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.dropped = {"*/aux_loss"};
  const auto folder = copy_golden(kData / "m3-text-only-aux", scratch / "copy", changes);
  const GoldenReport report = judge(folder);

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_EQ(aux_nodes(plan_of(golden::Golden::open(folder))), 1) << "only the prefill can compute it";
}

TEST(AuxLoss, OfTheMultimodalClassIsNotReadFromTheTopLevel) {
  const TemporaryFolder scratch;
  nlohmann::json config = published();
  config["output_router_logits"] = true;
  const GoldenReport report = run_golden(configured(config, scratch / "copy"), only(Mode::isolated, "*/loss"));

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
}

TEST(AuxLoss, OfTheMultimodalClassComesWithTheReleasesThatHaveIt) {
  const TemporaryFolder scratch;
  nlohmann::json config = published();
  config["text_config"]["output_router_logits"] = true;
  const auto golden = configured(config, scratch / "copy");

  EXPECT_EQ(aux_nodes(plan_of(golden)), 0) << "hf-5.12.0";
  EXPECT_EQ(aux_nodes(plan_of(golden, "hf-5.17.0")), 0);
  EXPECT_EQ(aux_nodes(plan_of(golden, "hf-5.18.0")), 1);
  EXPECT_EQ(aux_nodes(plan_of(golden, "hf-5.23.0")), 1);
}

TEST(AuxLoss, OfATextOnlyConfigurationIsReadFromTheTopLevel) {
  const TemporaryFolder scratch;
  nlohmann::json config = published()["text_config"];
  config["output_router_logits"] = true;

  EXPECT_EQ(aux_nodes(plan_of(configured(config, scratch / "copy"))), 1);
}

TEST(AuxLoss, FlagMayBeNullButNotAText) {
  const TemporaryFolder scratch;
  nlohmann::json null = published();
  null["output_router_logits"] = null["text_config"]["output_router_logits"] = nullptr;
  nlohmann::json text = published();
  text["text_config"]["output_router_logits"] = "yes";
  const auto wrong = configured(text, scratch / "text");

  EXPECT_EQ(aux_nodes(plan_of(configured(null, scratch / "null"))), 0);
  try {
    (void)plan_of(wrong);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::schema);
    EXPECT_THAT(error.what(), HasSubstr("'output_router_logits' is \"yes\"; expected true or false"));
  }
}

/// A call may ask for the aux loss without the configuration. A missing dataset was only not recorded.
TEST(AuxLoss, InTheLossAloneIsFoundThere) {
  for (const char* name : {"m2-cache-f32", "m2-text-bf16", "text01-cache-f32", "m3-vl-f32"}) {
    const TemporaryFolder scratch;
    Changes changes;
    changes.dropped = {"steps/000/aux_loss"};
    const auto report = judge(copy_golden(kData / name, scratch / name, changes), only(Mode::isolated));

    EXPECT_EQ(report.verdict, Status::pass) << name << ": " << complaints(report);
  }
}

TEST(AuxLoss, LeftOutOfALossThatHoldsItFails) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.dropped = {"steps/000/aux_loss"};
  const Tensor loss = golden::ActivationFile::open(kData / "m2-text-f32" / "activations.h5").read("steps/000/loss");
  changes.values["steps/000/loss"] = with_element(loss, 0, loss.view().value(0) + 1e-3);
  const auto report = judge(copy_golden(kData / "m2-text-f32", scratch / "copy", changes), only(Mode::isolated));

  EXPECT_EQ(report.verdict, Status::fail);
}

const fs::path kStatic = kData / "m3-static-f32";

TEST(StaticCaches, FollowFromWhatIsWrittenIntoThem) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.dropped = {"*/cache/*"};
  const GoldenReport report = judge(copy_golden(kStatic, scratch / "copy", changes));

  EXPECT_EQ(report.verdict, Status::pass) << complaints(report);
  EXPECT_NE(find(report, "steps/003/text/layers/00/attention/core/out"), nullptr);  // after the edit
}

TEST(StaticCaches, AreJudgedBehindTheSlotsInUse) {
  const TemporaryFolder scratch;
  const std::string tap = "steps/003/text/layers/00/cache/v";
  Changes changes;
  const Tensor recorded = golden::ActivationFile::open(kStatic / "activations.h5").read(tap);
  changes.values[tap] = with_element(recorded, recorded.view().count() - 1, 1e-30);  // the last slot is never written
  const GoldenReport report = judge(copy_golden(kStatic, scratch / "copy", changes), only(Mode::isolated));

  EXPECT_EQ(find(report, tap)->status, Status::fail);
}

TEST(StaticCaches, OfAnotherLengthAreAnotherShape) {
  const TemporaryFolder scratch;
  Changes changes;
  changes.attributes["max_cache_len"] = "45";
  const GoldenReport report = judge(copy_golden(kStatic, scratch / "copy", changes), only(Mode::isolated));

  EXPECT_EQ(report.verdict, Status::fail);
  EXPECT_THAT(find(report, "steps/000/text/layers/00/cache/k")->reason, HasSubstr("(2, 1, 44, 4), expected"));
}

TEST(Masks, OfOtherNumbersThanZeroAndOneAreRefused) {
  const TemporaryFolder scratch;
  const std::string tap = "steps/000/tokens/attention_mask";
  Changes changes;
  const auto file = golden::ActivationFile::open(kData / "m2-text-f32" / "activations.h5");
  changes.values[tap] = with_element(file.read(tap), 3, 2.0);
  const auto copy = copy_golden(kData / "m2-text-f32", scratch / "copy", changes);

  EXPECT_THAT(refusal_of(ErrorCode::schema, [&] { return plan_of(golden::Golden::open(copy)); }),
              HasSubstr("attention_mask holds numbers other than 0 and 1"));
}

}  // namespace
}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A walk layer by layer over a small checkpoint: what it judges, and that it continues where it ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/mistake.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;
using nlohmann::json;

const std::string kCheckpoint = "golden/data/m3-text-bf16/checkpoint";

std::vector<std::string> walk_of(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"walk", "m3", "--checkpoint", kCheckpoint, "--words", "64"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const bool sized = std::find(more.begin(), more.end(), "--tokens=5") != more.end();
  if (!sized) arguments.insert(arguments.end(), {"--tokens", "53"});
  return arguments;
}

json report_in(const fs::path& file) {
  json report = json::parse(content(file));
  for (const char* key : {"seconds", "peak_rss_bytes", "environment", "command"}) report.erase(key);
  for (json& golden : report["goldens"]) {
    for (const char* key : {"seconds", "sha256"}) golden.erase(key);
    for (json& record : golden["records"]) record.erase("seconds");
  }
  return report;
}

TEST(Walk, JudgesEveryLayerByItself) {
  const TemporaryFolder folder;

  const Output output = run_program(walk_of({"--candidate", "reference", "--json", (folder / "report.json").string()}));

  const json report = json::parse(content(folder / "report.json"));
  const int64_t layers = json::parse(content(kCheckpoint + "/config.json"))["text_config"]["num_hidden_layers"];
  ASSERT_EQ(report["goldens"].size(), static_cast<size_t>(layers)) << output.err;
  for (const json& golden : report["goldens"]) {
    EXPECT_GT(golden["taps"]["judged"], 20) << golden["name"];
    EXPECT_NE(golden["verdict"], "fail");
    EXPECT_NE(golden["verdict"], "error") << golden["reason"];
  }
  EXPECT_THAT(output.err, HasSubstr("layers to judge"));
}

TEST(Walk, ContinuesWhereItEnded) {
  const TemporaryFolder folder;
  const auto file = [&](const char* name) { return (folder / name).string(); };
  static_cast<void>(run_program(walk_of({"--candidate", "reference", "--json", file("whole.json")})));
  static_cast<void>(run_program(walk_of({"--candidate", "reference", "--state", file("state"), "--layers", "0"})));

  const Output rest =
      run_program(walk_of({"--candidate", "reference", "--state", file("state"), "--json", file("rest.json")}));

  EXPECT_EQ(rest.err.find("layer 00"), std::string::npos) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("layer 01"));
  EXPECT_EQ(report_in(folder / "rest.json"), report_in(folder / "whole.json"));
}

TEST(Walk, LayersThatAreNotAskedForAreOnlyComputed) {
  const TemporaryFolder folder;

  static_cast<void>(
      run_program(walk_of({"--candidate", "reference", "--layers", "1", "--json", (folder / "r.json").string()})));

  const json report = json::parse(content(folder / "r.json"));
  ASSERT_EQ(report["goldens"].size(), 1U);
  EXPECT_EQ(report["goldens"][0]["name"], "m3 layer 01");
}

TEST(Walk, NamesTheLayerOfABug) {
  const Output output = run_program(walk_of({"--candidate", "fault:rms_norm-without-one", "--layers", "1", "--quiet"}));

  EXPECT_EQ(output.exit_code, broken);
  EXPECT_THAT(output.out, HasSubstr("m3 layer 01"));
  EXPECT_THAT(output.out, HasSubstr("layers/01/"));
}

TEST(Walk, EstimatesBeforeItBegins) {
  const Output output = run_program({"walk", "m3", "--estimate"});

  EXPECT_EQ(output.exit_code, holds);
  EXPECT_THAT(output.err, HasSubstr("60 of 60 layers to judge, 61 to compute: about "));
  EXPECT_THAT(output.err, HasSubstr(" GiB"));
}

TEST(Walk, JudgesACallBehindLongCaches) {
  const TemporaryFolder folder;

  const Output output = run_program(walk_of({"--candidate", "reference", "--context", "3000", "--tokens=5", "--layers",
                                             "1", "--json", (folder / "r.json").string()}));

  const json golden = json::parse(content(folder / "r.json"))["goldens"][0];
  EXPECT_GT(golden["taps"]["judged"], 20) << output.err;
  for (const json& record : golden["records"]) {
    EXPECT_NE(record["status"], "fail") << record["tap"];
    EXPECT_THAT(record["tap"].get<std::string>(), HasSubstr("steps/001/"));
  }
}

TEST(Walk, TheStateOfAnotherWalkIsRefused) {
  const TemporaryFolder folder;
  const std::string state = (folder / "state").string();
  static_cast<void>(run_program(walk_of({"--candidate", "reference", "--state", state, "--layers", "0", "--quiet"})));
  std::vector<std::string> other = walk_of({"--candidate", "reference", "--state", state, "--seed", "2", "--quiet"});

  expect_one_line_that_helps({"", other, usage, {"state file of another walk", "seed"}});
}

const std::vector<Mistake> kMistakesOfWalks{
    {"WalkOfNoModel", {"walk", "gpt2"}, usage, {"'gpt2' is not known", "m3, m2, text01"}},
    {"WalkOfNoLayers", {"walk", "m3", "--layers", "x", "--quiet"}, usage, {"--layers 'x'", "write for example 0-4,7"}},
    {"WalkOfLayersBackwards", {"walk", "m3", "--layers", "4-0", "--quiet"}, usage, {"--layers '4-0'"}},
    {"WalkBeyondTheModel", {"walk", "m3", "--layers", "60", "--quiet"}, usage, {"layer 60", "0-59"}},
    {"WalkOfNoCheckpoint",
     {"walk", "m3", "--checkpoint", "/nowhere", "--quiet"},
     golden_damaged,
     {"/nowhere/config.json"}},
    {"WalkOfNoTokens", {"walk", "m3", "--tokens", "0", "--quiet"}, usage, {"--tokens must be at least 1"}},
};

class WalkMistakes : public ::testing::TestWithParam<Mistake> {};
TEST_P(WalkMistakes, OneLineThatHelps) { expect_one_line_that_helps(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, WalkMistakes, ::testing::ValuesIn(kMistakesOfWalks),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace parity::cli

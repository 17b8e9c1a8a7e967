// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The shards of a battery, merged, are the battery.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/exit_codes.hpp"
#include "cli/testing/mistake.hpp"

namespace parity::cli {
namespace {

using namespace tests;
using nlohmann::json;

class BatteryShards : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }

  static Output battery(const std::string& kernel, const std::vector<std::string>& more) {
    std::vector<std::string> words{"battery", "rms_norm", "gather", "--cases", "7", "--quiet", "--kernel", kernel};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }

  void shard(const std::string& kernel, const std::string& part, const std::string& of,
             const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"--shard", part + "/" + of, "--json", file(part + ".json")};
    words.insert(words.end(), more.begin(), more.end());
    static_cast<void>(battery(kernel, words));
  }

  [[nodiscard]] json components(const std::string& name) const {
    json all = json::parse(content(file(name))).at("components");
    for (json& one : all) one.erase("first");  // another failing case may come first
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(BatteryShards, MergedHaveTheCountsAndTheExitCodeOfTheWhole) {
  for (const std::string kernel : {"reference", "fault:rms_norm-without-one"}) {
    const Output whole = battery(kernel, {"--json", file("whole.json")});
    for (const char* part : {"1", "2", "3"}) shard(kernel, part, "3");

    const Output merged =
        run_program({"merge", file("2.json"), file("1.json"), file("3.json"), "--json", file("merged.json")});

    EXPECT_EQ(merged.exit_code, whole.exit_code) << kernel;
    EXPECT_THAT(lines(whole.out), ::testing::Contains(lines(merged.out).back()));
    EXPECT_THAT(components("merged.json"), ::testing::UnorderedElementsAreArray(components("whole.json")));
    EXPECT_EQ(run_program({"report", "check", file("merged.json")}).exit_code, holds);
    EXPECT_LT(components("1.json")[0]["cases"], components("whole.json")[0]["cases"]);
  }
}

TEST_F(BatteryShards, OfDifferentBatteriesAreRefused) {
  shard("reference", "1", "2");
  shard("reference", "2", "2", {"--seed", "9"});

  const Output merged = run_program({"merge", file("1.json"), file("2.json")});

  EXPECT_EQ(merged.exit_code, usage);
  EXPECT_THAT(merged.err, ::testing::HasSubstr("are shards of different runs: command is"));
}

TEST_F(BatteryShards, OfWhichOneIsMissingOrTwiceAreRefused) {
  shard("reference", "1", "2");
  EXPECT_THAT(run_program({"merge", file("1.json")}).err, ::testing::HasSubstr("shard 2/2 is missing"));
  EXPECT_THAT(run_program({"merge", file("1.json"), file("1.json")}).err, ::testing::HasSubstr("are both shard 1"));
}

TEST_F(BatteryShards, SayWhatFailsAndHowToRepeatIt) {
  for (const char* part : {"1", "2"}) shard("fault:rms_norm-without-one", part, "2");
  const std::string out = run_program({"merge", file("1.json"), file("2.json")}).out;
  EXPECT_THAT(out, ::testing::ContainsRegex("rms_norm:[a-z0-9]+:[a-z]+:.* reduced to rms_norm"));
  EXPECT_THAT(out, ::testing::HasSubstr("repro: parity battery "));
}

/// A document that is damaged in one place is refused in one line.
TEST_F(BatteryShards, ThatAreDamagedAreRefused) {
  shard("fault:rms_norm-without-one", "1", "1");
  const json whole = json::parse(content(file("1.json")));
  const std::vector<json> damages{json::parse(R"([{"op": "remove", "path": "/components/0/component"}])"),
                                  json::parse(R"([{"op": "replace", "path": "/components/0/cases", "value": "x"}])"),
                                  json::parse(R"([{"op": "add", "path": "/components/0/first", "value": {}}])"),
                                  json::parse(R"([{"op": "remove", "path": "/components/0/cases_in"}])"),
                                  json::parse(R"([{"op": "remove", "path": "/components"}])")};
  for (const json& damage : damages) {
    write(file("1.json"), whole.patch(damage).dump());
    const Output merged = run_program({"merge", file("1.json")});
    EXPECT_EQ(merged.exit_code, golden_damaged) << damage;
    EXPECT_EQ(lines(merged.err).size(), 1U) << merged.err;
  }
}

TEST_F(BatteryShards, WithFailingGuardsFailWhateverTheOrder) {
  for (const char* part : {"1", "2"}) shard("reference", part, "2");
  json second = json::parse(content(file("2.json")));
  second["verdict"] = "fail";
  second["guards"] = {{"error", "it wrote beyond its output"}};
  write(file("2.json"), second.dump());
  for (const auto& order : {std::vector<std::string>{"1", "2"}, {"2", "1"}}) {
    const Output merged =
        run_program({"merge", file(order[0] + ".json"), file(order[1] + ".json"), "--json", file("merged.json")});
    EXPECT_EQ(merged.exit_code, broken);
    EXPECT_THAT(lines(merged.out).back(), ::testing::HasSubstr("guards failed; see key 'guards' of " + file("2.json")));
    EXPECT_EQ(json::parse(content(file("merged.json")))["guards"], second["guards"]);
  }
}

TEST_F(BatteryShards, AreNotMergedWithARun) {
  shard("reference", "1", "1");
  static_cast<void>(run_program({"run", kGolden, "--quiet", "--shard", "1/1", "--json", file("run.json")}));
  const Output merged = run_program({"merge", file("1.json"), file("run.json")});
  EXPECT_EQ(merged.exit_code, usage);
  EXPECT_THAT(merged.err, ::testing::HasSubstr("merge reports of one command"));
}

const std::vector<Mistake> kMistakesOfBatteryShards{
    {"MoreShardsThanCases",
     {"battery", "gather", "--cases", "2", "--shard", "1/3", "--quiet"},
     usage,
     {"2 cases per component are too few for 3 shards"}},
    {"ShardOfOneCase", {"battery", "--case", "gather:f32:boundary:1", "--shard", "1/2"}, usage, {"--shard", "--case"}},
    {"NoKernel",
     {"battery", "splice", "--kernel", "cpu", "--shard", "1/2", "--quiet"},
     nothing_ran,
     {"cpu has no kernel of splice"}},
    {"NoShard", {"battery", "gather", "--shard", "x"}, usage, {"--shard 'x'", "write 2/4"}},
};

class BatteryShardMistakes : public ::testing::TestWithParam<Mistake> {};
TEST_P(BatteryShardMistakes, OneLineThatHelps) { expect_one_line_that_helps(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, BatteryShardMistakes, ::testing::ValuesIn(kMistakesOfBatteryShards),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace parity::cli

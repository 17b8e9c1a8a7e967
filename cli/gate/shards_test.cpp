// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The shards of a run, merged, are the run.
#include "cli/gate/shards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/testing/mistake.hpp"

namespace parity::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace tests;
using nlohmann::json;

const std::vector<std::string> kSeveral{"golden/data/m3-text-only-aux", "golden/data/m3-text-only-items",
                                        "golden/data/m3-even-f32", "golden/nowhere"};

std::vector<std::string> run_of(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"run", "--quiet", "--no-explain", "--mode", "isolated"};
  arguments.insert(arguments.end(), kSeveral.begin(), kSeveral.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Removes what differs between two runs of the same: times, memory, and the command with its files.
void remove_times(json& value) {
  if (value.is_object()) {
    for (const char* key : {"seconds", "peak_rss_bytes", "when", "command"}) value.erase(key);
  }
  if (value.is_structured()) {
    for (json& inner : value) remove_times(inner);
  }
}

json report_in(const fs::path& file) {
  json report = json::parse(content(file));
  remove_times(report);
  return report;
}

TEST(Shards, MergedAreTheWholeRun) {
  for (const std::string candidate : {"reference", "fault:rms_norm-without-one"}) {
    const TemporaryFolder folder;
    const auto file = [&](const char* name) { return (folder / name).string(); };
    const Output whole = run_program(run_of({"--candidate", candidate, "--json", file("whole.json")}));
    std::vector<std::string> merge{"merge", "--json", file("joined.json"), "--junit", file("joined.xml")};
    for (const char* part : {"3", "1", "2"}) {
      const std::string written = file((std::string(part) + ".json").c_str());
      static_cast<void>(run_program(
          run_of({"--candidate", candidate, "--shard", std::string(part) + "/3", std::string("--json=") + written})));
      merge.push_back(written);
    }

    const Output joined = run_program(merge);

    EXPECT_EQ(joined.exit_code, whole.exit_code);
    EXPECT_EQ(whole.exit_code, golden_damaged) << "one golden is missing";
    EXPECT_EQ(report_in(file("joined.json")), report_in(file("whole.json")));
    EXPECT_EQ(json::parse(content(file("joined.json")))["command"].get<std::string>().find("--shard"),
              std::string::npos);
    EXPECT_THAT(content(file("joined.xml")), HasSubstr("m3-even-f32"));
    EXPECT_EQ(lines(joined.out).back(), lines(whole.out).back());
  }
}

TEST(Shards, HaveEveryGoldenOnceAndTheSameOnEveryMachine) {
  RunOptions options;
  options.goldens = kSeveral;
  std::vector<int64_t> seen;
  for (const char* part : {"1/3", "2/3", "3/3"}) {
    options.shard = part;
    const auto shard = shard_of(options);
    ASSERT_TRUE(shard.has_value());
    seen.insert(seen.end(), shard->goldens.begin(), shard->goldens.end());
  }

  EXPECT_THAT(seen, ::testing::UnorderedElementsAre(0, 1, 2, 3));
}

TEST(Shards, DearGoldensCostMore) {
  EXPECT_GT(cost_of_golden("golden/data/m3-text-bf16"), 0.0);
  EXPECT_GT(cost_of_golden("golden/data/m3-text-bf16"), cost_of_golden("golden/nowhere"));
}

TEST(Shards, TheCommandOfTheRunNamesNoShardAndNoFile) {
  EXPECT_EQ(whole_command({"parity", "run", "a", "--shard", "1/2", "--json=x.json", "--junit", "y", "--quiet", "-v",
                           "--tp", "2"}),
            "parity run a --tp 2");
}

const std::vector<Mistake> kMistakesOfShards{
    {"NotAShard", {"run", kGolden, "--shard", "2"}, usage, {"--shard '2'", "write 2/4"}},
    {"ShardZero", {"run", kGolden, "--shard", "0/2"}, usage, {"INDEX must be 1 to COUNT"}},
    {"MoreShardsThanGoldens",
     {"run", kGolden, "--shard", "1/2", "--quiet"},
     usage,
     {"1 goldens are too few for 2 shards", "at most 1"}},
    {"ShardWithAManifest",
     {"run", kGolden, "--shard", "1/1", "--manifest", "golden/manifest.json", "--quiet"},
     usage,
     {"--manifest to parity merge"}},
    {"MergeOfNothing", {"merge"}, usage, {"reports is required"}},
    {"MergeOfNoFile", {"merge", "/nowhere.json"}, golden_damaged, {"/nowhere.json", "report.json of a run"}},
    {"MergeOfAnotherFile",
     {"merge", "golden/manifest.json"},
     golden_damaged,
     {"golden/manifest.json", "schema_version"}},
};

class ShardMistakes : public ::testing::TestWithParam<Mistake> {};
TEST_P(ShardMistakes, OneLineThatHelps) { expect_one_line_that_helps(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, ShardMistakes, ::testing::ValuesIn(kMistakesOfShards),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Shards, HalfAReportIsRefusedInOneLine) {
  const TemporaryFolder folder;
  const std::string file = (folder / "half.json").string();
  static_cast<void>(run_program({"run", kGolden, "--quiet", "--shard", "1/1", "--json", file}));
  const std::string text = content(file);
  write(file, text.substr(0, text.size() / 2));

  const Output output = run_program({"merge", file});

  EXPECT_EQ(output.exit_code, golden_damaged);
  EXPECT_EQ(lines(output.err).size(), 1U);
  EXPECT_THAT(output.err, HasSubstr("half.json: not JSON"));
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Walks over a checkpoint in shards, over several ranks, and walks that were killed.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"
#include "golden/files/safetensors.hpp"

namespace parity::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace tests;
using nlohmann::json;

const fs::path kWalkedCheckpoint = "golden/data/m3-text-bf16/checkpoint";

/// Runs a walk; returns the goldens of its report without times.
json layers_of_walk(std::vector<std::string> more, const fs::path& checkpoint = kWalkedCheckpoint) {
  const TemporaryFolder folder;
  const std::string file = (folder / "report.json").string();
  std::vector<std::string> arguments{
      "walk", "m3",       "--checkpoint", checkpoint.string(), "--words", "64", "--candidate",
      "cpu",  "--tokens", "53",           "--quiet",           "--json",  file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Output output = run_program(arguments);
  EXPECT_TRUE(output.exit_code == holds || output.exit_code == broken) << output.out << output.err;
  json goldens = json::parse(content(file)).at("goldens");
  for (json& golden : goldens) {
    for (const char* key : {"seconds", "sha256"}) golden.erase(key);
    for (json& record : golden["records"]) record.erase("seconds"), record.erase("repro");
    if (golden.contains("first_divergence")) golden.erase("first_divergence");
  }
  return goldens;
}

/// Copies the checkpoint as an index and two shards: odd tensors in one, even in the other.
void write_in_shards(const fs::path& folder) {
  fs::create_directory(folder);
  fs::copy(kWalkedCheckpoint / "config.json", folder / "config.json");
  const auto source = golden::SafetensorsSource::open(kWalkedCheckpoint);
  std::vector<std::vector<std::pair<std::string, TensorView>>> shards(2);
  json map;
  for (const std::string& name : source.names()) {
    const size_t shard = map.size() % 2;
    shards[shard].emplace_back(name, source.tensor(name));
    map[name] = fmt::format("model-{:05}-of-00002.safetensors", shard + 1);
  }
  for (size_t shard = 0; shard < 2; ++shard)
    golden::write_safetensors(folder / fmt::format("model-{:05}-of-00002.safetensors", shard + 1), shards[shard]);
  write(folder / "model.safetensors.index.json", json{{"metadata", json::object()}, {"weight_map", map}}.dump());
}

TEST(WalkLayouts, ACheckpointInShardsGivesTheVerdictsOfOneFile) {
  const TemporaryFolder folder;
  write_in_shards(folder / "sharded");

  const json sharded = layers_of_walk({}, folder / "sharded");

  ASSERT_EQ(sharded.size(), 2U);
  EXPECT_GT(sharded[1]["taps"]["judged"], 20);
  EXPECT_EQ(sharded, layers_of_walk({}));
}

TEST(WalkLayouts, AShardThatIsMissingIsNamed) {
  const TemporaryFolder folder;
  write_in_shards(folder / "sharded");
  fs::remove(folder / "sharded" / "model-00002-of-00002.safetensors");

  const Output output = run_program({"walk", "m3", "--checkpoint", (folder / "sharded").string(), "--quiet"});

  EXPECT_EQ(output.exit_code, golden_damaged);
  ASSERT_EQ(lines(output.err).size(), 1U) << output.err;
  EXPECT_THAT(output.err, HasSubstr("model-00002-of-00002.safetensors"));
}

/// The ranks that have a judged tap, as "ranks/03/".
std::set<std::string> ranks_judged(const json& golden) {
  std::set<std::string> ranks;
  for (const json& record : golden["records"]) {
    const auto tap = record["tap"].get<std::string>();
    if (tap.starts_with("ranks/") && record["status"] == "pass") ranks.insert(tap.substr(0, tap.find("/steps")));
  }
  return ranks;
}

TEST(WalkLayouts, EveryRankOfEveryLayerIsJudged) {
  for (const auto& [layout, count] : std::vector<std::pair<std::string, size_t>>{{"--tp=2", 2}, {"--ep=4", 4}}) {
    const json goldens = layers_of_walk({layout});

    ASSERT_EQ(goldens.size(), 2U) << layout;
    for (const json& golden : goldens) {
      EXPECT_EQ(ranks_judged(golden).size(), count) << layout << golden["name"];
      for (const json& record : golden["records"]) EXPECT_NE(record["status"], "fail") << record["tap"];
    }
  }
}

TEST(WalkLayouts, ARankOfALongContextIsJudged) {
  const json goldens = layers_of_walk({"--tp=2", "--context=3000", "--layers=1"});

  ASSERT_EQ(goldens.size(), 1U);
  EXPECT_EQ(ranks_judged(goldens[0]).size(), 2U);
  for (const json& record : goldens[0]["records"]) EXPECT_NE(record["status"], "fail") << record["tap"];
}

TEST(WalkLayouts, AWrongRankIsNamed) {
  const Output output =
      run_program({"walk", "m3", "--checkpoint", kWalkedCheckpoint.string(), "--words", "64", "--tokens", "53", "--tp",
                   "2", "--layers", "0", "--quiet", "--candidate", "fault:rank-o_proj-of-next@1-0"});

  EXPECT_EQ(output.exit_code, broken) << output.err;
  EXPECT_THAT(output.out, HasSubstr("rank 1 is wrong, rank 0 is right"));
}

/// The walk is killed as soon as it has said that layer 00 is done, by the shell that reads what it says.
TEST(WalkLayouts, AfterAKillTheSameCommandGivesTheVerdictsOfAWalkInOneGo) {
  const TemporaryFolder folder;
  const std::string state = (folder / "state").string();
  const std::string walk = fmt::format("'{}' walk m3 --checkpoint {} --words 64 --candidate cpu --tokens 53 --state {}",
                                       PARITY_PROGRAM, kWalkedCheckpoint.string(), quoted(state));
  const std::string script = fmt::format(
      "exec 3< <({} 2>&1 >/dev/null); while read -r line <&3; do case $line in 'layer 00'*) kill -9 $!; break;; esac; "
      "done; wait $!",
      walk);
  const int status = std::system(fmt::format("exec bash -c {}", quoted(script)).c_str());
  EXPECT_TRUE(WIFEXITED(status));
  ASSERT_TRUE(fs::exists(state));

  EXPECT_EQ(layers_of_walk({"--state", state}), layers_of_walk({}));
}

}  // namespace
}  // namespace parity::cli

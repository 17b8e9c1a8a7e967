// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rows of a long prompt on given caches: what is judged, and that a bug beyond the first blocks is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace tests;
using nlohmann::json;

const std::string kLongGolden = "golden/long/m3-long-bf16";
/// Rows up to the 2048th token, for which 16 blocks of 128 tokens are all that there is; and the last rows of 32821.
const std::string kEarlyRows = "steps/001/", kLateRows = "steps/003/";

json judged_long(std::vector<std::string> more, int exit_code, const std::string& golden = kLongGolden) {
  const TemporaryFolder folder;
  const std::string file = (folder / "report.json").string();
  more.insert(more.begin(), {"run", golden, "--quiet", "--no-explain", "--json", file});
  const Output output = run_program(more);
  EXPECT_EQ(output.exit_code, exit_code) << output.out << output.err;
  return json::parse(content(file)).at("goldens").at(0);
}

int64_t count_of_records(const json& golden, const std::string& below, const std::string& status) {
  int64_t found = 0;
  for (const json& record : golden["records"])
    found += record["tap"].get<std::string>().find(below) != std::string::npos && record["status"] == status ? 1 : 0;
  return found;
}

TEST(LongContext, TheRowsOfTheGivenLayerAreJudgedInEveryMode) {
  for (const std::string candidate : {"golden", "cpu"}) {
    const json golden = judged_long({"--candidate", candidate}, holds);

    EXPECT_EQ(golden["class"], candidate == "golden" ? "conforms" : "rounds_differently");
    EXPECT_GT(count_of_records(golden, kEarlyRows, "pass"), 30) << candidate;
    EXPECT_GT(count_of_records(golden, kLateRows, "pass"), 30) << candidate;
    EXPECT_EQ(count_of_records(golden, "/layers/00/", "pass"), 0) << "an input of the call";
    EXPECT_EQ(golden["taps"]["unknown"], 0);
  }
}

TEST(LongContext, ABugBeyondTheBlocksThatAreAllReadIsFoundInTheLateRowsAlone) {
  const json golden =
      judged_long({"--mode", "isolated", "--policy", "bounds", "--candidate", "fault:select-first-forced"}, broken);

  EXPECT_EQ(count_of_records(golden, kEarlyRows, "fail"), 0);
  EXPECT_GT(count_of_records(golden, kLateRows, "fail"), 0);
  EXPECT_THAT(golden["first_divergence"]["tap"].get<std::string>(),
              StartsWith("steps/003/text/layers/01/attention/indexer/block_indices"));
}

TEST(LongContext, ASavedRunIsJudgedOnTheCachesThatItWasGiven) {
  const TemporaryFolder folder;
  const std::string saved = (folder / "cpu.h5").string();

  static_cast<void>(judged_long({"--candidate", "cpu", "--mode", "isolated", "--save", saved}, holds));
  const json golden = judged_long({"--candidate", "capture:" + saved}, holds);

  EXPECT_GT(count_of_records(golden, kLateRows, "pass"), 30);
}

/// The last given slot is in the block of every late row, so all of them read its values.
TEST(LongContext, ACaptureIsJudgedOnItsOwnCachesIfItHasThem) {
  const TemporaryFolder folder;
  const std::string saved = (folder / "cpu.h5").string(), other = (folder / "other.h5").string();
  static_cast<void>(judged_long({"--candidate", "cpu", "--mode", "isolated", "--save", saved}, holds));
  {
    const auto file = golden::ActivationFile::open(saved);
    const std::string values = "steps/002/text/layers/01/cache/v";
    const Shape shape = file.at(values).shape;
    Changes changes;
    changes.values[values] = with_element(file.read(values), (shape[2] - 1) * shape[3], 1000.0);
    static_cast<void>(replay::tests::Copy(file, other, changes));
  }

  const json golden = judged_long({"--candidate", "capture:" + other, "--mode", "isolated"}, broken);

  EXPECT_EQ(count_of_records(golden, kEarlyRows, "fail"), 0);
  EXPECT_THAT(golden["first_divergence"]["tap"].get<std::string>(),
              StartsWith("steps/003/text/layers/01/attention/core/out"));
}

TEST(LongContext, TheHeadsOfEachRankAreJudged) {
  const json golden = judged_long({"--candidate", "cpu", "--tp", "2", "--mode", "isolated"}, holds);

  for (const std::string rank : {"ranks/00/", "ranks/01/"})
    EXPECT_GT(count_of_records(golden, rank + kLateRows, "pass"), 30) << rank;
}

}  // namespace
}  // namespace parity::cli

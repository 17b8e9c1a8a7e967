// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `run --tp N --save` writes the taps of every rank, which `capture:` and `diff` read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/mistake.hpp"
#include "golden/files/activation_file.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;
using nlohmann::json;

const std::string kSavedGolden = (kData / "m3-ranks-f32").string();

Output run_ranks(const std::string& candidate, const std::string& layout, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"run", kSavedGolden, layout, "--candidate", candidate, "--quiet", "--no-explain"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

int64_t taps_of_rank(const fs::path& file, const std::string& rank) {
  const auto stored = golden::ActivationFile::open(file);
  return std::count_if(stored.datasets().begin(), stored.datasets().end(),
                       [&](const auto& dataset) { return dataset.path.starts_with(rank); });
}

TEST(SavedRanks, AreRefusedUnderAnotherLayoutWithTheOptionToUse) {
  const TemporaryFolder folder;
  const std::string saved = (folder / "ranks.h5").string();
  ASSERT_EQ(run_ranks("cpu", "--tp=2", {"--save", saved}).exit_code, holds);

  for (const std::string other : {"--tp=4", "--tp=1"}) {
    const Output read = run_ranks("capture:" + saved, other, {});

    EXPECT_EQ(read.exit_code, golden_damaged) << other;
    EXPECT_THAT(read.err, HasSubstr("the capture's layout is 'tp 2'"));
    EXPECT_THAT(read.err, HasSubstr("judge it with --tp 2"));
  }
}

TEST(SavedRanks, AreJudgedAndComparedAsTheyWereComputed) {
  for (const std::string layout : {"--tp=2", "--ep=4", "--cp=2"}) {
    const TemporaryFolder folder;
    const std::string saved = (folder / "ranks.h5").string(), report = (folder / "report.json").string();

    const Output save = run_ranks("cpu", layout, {"--save", saved});
    const Output read = run_ranks("capture:" + saved, layout, {"--json", report});
    const Output diff = run_program({"diff", saved, kSavedGolden, "--rtol", "1e-3"});

    EXPECT_EQ(save.exit_code, holds) << save.out << save.err;
    EXPECT_GT(taps_of_rank(saved, "ranks/01/"), 50) << layout;
    EXPECT_EQ(read.exit_code, holds) << layout << read.out << read.err;
    const json golden = json::parse(content(report)).at("goldens").at(0);
    EXPECT_FALSE(golden.contains("not_shown")) << layout << golden["not_shown"];
    EXPECT_EQ(golden["taps"]["unknown"], 0) << layout;
    EXPECT_EQ(diff.exit_code, holds) << layout << diff.out << diff.err;
    EXPECT_THAT(diff.out, HasSubstr("assembled from " + layout.substr(2, 2))) << layout;
  }
}

TEST(SavedRanks, OfAWrongRankNameIt) {
  const TemporaryFolder folder;
  const std::string saved = (folder / "ranks.h5").string();
  static_cast<void>(run_ranks("fault:rank-o_proj-of-next@1-0", "--tp=2", {"--save", saved}));

  const Output read = run_ranks("capture:" + saved, "--tp=2", {"--mode", "isolated"});

  EXPECT_EQ(read.exit_code, broken) << read.out << read.err;
  EXPECT_THAT(read.out, HasSubstr("rank 1 is wrong, rank 0 is right"));
}

TEST(SavedRanks, OfARecordingOfOneProcessAreRefused) {
  const TemporaryFolder folder;
  const std::string saved = (folder / "ranks.h5").string();

  expect_one_line_that_helps(
      {"", {"run", kSavedGolden, "--tp", "2", "--save", saved, "--quiet"}, usage, {"--save", "--candidate"}});
  EXPECT_FALSE(fs::exists(saved));
}

}  // namespace
}  // namespace parity::cli

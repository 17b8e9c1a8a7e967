// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Processes that a launcher started share one run. Here the test is the launcher, so that none needs to be installed.
#include "cli/terminal/launched.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;
using nlohmann::json;

/// Starts `size` processes of a command as a launcher does, and waits for all. Their stdout is in one folder, by rank.
std::string launch(int size, const std::string& arguments, const fs::path& folder) {
  std::string script = "export PMIX_NAMESPACE=" + folder.filename().string() + " TMPDIR=" + folder.string() + "\n";
  for (int rank = 0; rank < size; ++rank)
    script += fmt::format(
        "(OMPI_COMM_WORLD_RANK={0} OMPI_COMM_WORLD_SIZE={1} {2} {3} >{4}/{0}.out 2>{4}/{0}.err; "
        "echo $? >{4}/{0}.code) &\n",
        rank, size, PARITY_PROGRAM, arguments, folder.string());
  write(folder / "launch.sh", script + "wait\n");
  return "sh " + quoted((folder / "launch.sh").string());
}

bool leaves_no_exchange(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("parity-")) return false;
  }
  return true;
}

const std::string kThree = "golden/data/m3-text-only-aux golden/data/m3-text-only-items golden/data/m3-even-f32";

TEST(Launched, RankZeroReportsTheWholeRun) {
  const TemporaryFolder folder;
  const std::string file = (folder / "report.json").string();

  ASSERT_EQ(std::system(launch(4, "run --quiet --mode isolated " + kThree + " --json " + file, folder.path()).c_str()),
            0);

  EXPECT_EQ(content(folder / "0.code"), "0\n") << content(folder / "0.err");
  const json report = json::parse(content(file));
  ASSERT_EQ(report["goldens"].size(), 3U);
  EXPECT_EQ(report["goldens"][1]["name"], "m3-text-only-items");
  EXPECT_FALSE(report.contains("shard"));
  EXPECT_THAT(content(folder / "0.out"), HasSubstr("m3-even-f32"));
  for (const char* silent : {"1.out", "2.out", "3.out", "1.err", "2.err", "3.err"})
    EXPECT_EQ(content(folder / silent), "");
  EXPECT_TRUE(leaves_no_exchange(folder.path()));
}

TEST(Launched, ABrokenGoldenBreaksTheRunAndNoOtherRank) {
  const TemporaryFolder folder;

  ASSERT_EQ(
      std::system(
          launch(2, "run --quiet --no-explain --mode isolated " + kThree + " --candidate fault:rms_norm-without-one",
                 folder.path())
              .c_str()),
      0);

  EXPECT_EQ(content(folder / "0.code"), "1\n");
  EXPECT_EQ(content(folder / "1.code"), "0\n");
}

TEST(Launched, OneRankComplainsOfWrongOptions) {
  const TemporaryFolder folder;

  ASSERT_EQ(std::system(launch(3, "run --quiet --mode isolatd " + kThree, folder.path()).c_str()), 0);

  EXPECT_EQ(content(folder / "0.code"), "2\n");
  EXPECT_EQ(lines(content(folder / "0.err")).size(), 1U);
  EXPECT_EQ(content(folder / "1.err") + content(folder / "2.err"), "");
  EXPECT_TRUE(leaves_no_exchange(folder.path()));
}

}  // namespace
}  // namespace parity::cli

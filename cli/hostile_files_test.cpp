// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Whatever a file name leads to, and whatever lies there: one line, exit code 3, in no time and little memory.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace testing;

class HostileFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (scratch_ / name).string(); }

  TemporaryFolder scratch_;
};

/// Nothing here needs a second; a pipe without a writer would take forever.
constexpr const char* kLimits = PARITY_SANITIZED ? "timeout 60" : "ulimit -v 2000000; timeout 20";

TEST_F(HostileFile, IsRefusedByEveryCommandThatReadsOne) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink("loop", path("loop"));
  const std::vector<std::string> files{path("pipe"), path("loop"), path(std::string(300, 'n')), "/dev/zero"};
  for (const std::string& file : files) {
    const std::vector<std::vector<std::string>> commands{
        {"run", file},
        {"run", kGolden, "--candidate", "capture:" + file},
        {"run", kGolden, "--manifest", file},
        {"run", kGolden, "--accept", file},
        {"golden", "verify", file},
        {"golden", "info", file},
        {"golden", "ls", file},
        {"golden", "synthesize", path("out"), "--config", file},
        {"diff", file, kGolden},
        {"list", "goldens", file},
        {"show", "loss", "--golden", file},
        {"explain", file},
        {"repro", file + "#loss"},
        {"report", "check", file},
        {"report", "markdown", file},
        {"selftest", "--engines", file},
        {"generate", file},
        {"bench", "--baseline", file},
        {"bench", "compare", file, file},
    };
    for (const auto& command : commands) {
      const Output output = run_program(command, kLimits);
      EXPECT_EQ(output.exit_code, golden_damaged) << ::testing::PrintToString(command) << output.err;
      EXPECT_EQ(output.err.find("defect of parity"), std::string::npos) << output.err;
    }
  }
}

TEST_F(HostileFile, OfNestedBracketsIsNoReport) {
  for (const std::string& open : {std::string("["), std::string("{\"a\":")}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    write(path("report.json"), text);
    for (const char* format : {"check", "markdown"}) {
      const Output output = run_program({"report", format, path("report.json")}, kLimits);
      EXPECT_EQ(output.exit_code, golden_damaged) << output.err;
      EXPECT_THAT(output.err, HasSubstr("nested more than 64 deep"));
    }
    EXPECT_EQ(run_program({"bench", "--baseline", path("report.json")}, kLimits).exit_code, golden_damaged);
    EXPECT_EQ(run_program({"run", kGolden, "--accept", path("report.json")}, kLimits).exit_code, golden_damaged);
  }
}

}  // namespace
}  // namespace parity::cli

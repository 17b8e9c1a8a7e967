// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// If a stream is closed, full or unread, the program does not abort, loses no report, and claims no lost result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

/// Runs a line of shell in which {} is replaced by the program with `arguments`; returns the exit code.
int shell(const std::string& line, const std::string& arguments) {
  std::string command = line;
  command.replace(command.find("{}"), 2, tests::quoted(PARITY_PROGRAM) + " " + arguments);
  const int status = std::system(("bash -c " + tests::quoted(command)).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class BrokenStream : public ::testing::Test {
 protected:
  [[nodiscard]] std::string report() const { return (scratch_ / "report.json").string(); }
  [[nodiscard]] std::string run() const { return "run " + kGolden + " --taps --json " + tests::quoted(report()); }
  [[nodiscard]] bool report_is_whole() const {
    const auto document = nlohmann::json::parse(content(report()), nullptr, false);
    return document.is_object() && document["verdict"] == "pass";
  }

  TemporaryFolder scratch_;
};

TEST_F(BrokenStream, OfProgressCostsNoResult) {
  EXPECT_EQ(shell("{} >/dev/null 2>&-", run()), holds);
  EXPECT_TRUE(report_is_whole()) << "stderr is closed";
  fs::remove(report());
  EXPECT_EQ(shell("{} >/dev/null 2>/dev/full", run()), holds);
  EXPECT_TRUE(report_is_whole()) << "stderr is full";
}

TEST_F(BrokenStream, OfResultsIsNoSuccess) {
  const std::string said = (scratch_ / "said").string();

  EXPECT_EQ(shell("{} >/dev/full 2>" + said, run()), golden_damaged);
  EXPECT_THAT(content(said), HasSubstr("cannot write standard output: No space left on device"));
  EXPECT_TRUE(report_is_whole()) << "the file is another matter";
  EXPECT_EQ(shell("{} >&- 2>/dev/null", run()), golden_damaged) << "stdout is closed";
  EXPECT_EQ(shell("{} >/dev/full 2>/dev/null", "--help"), golden_damaged);
  EXPECT_EQ(shell("{} >/dev/full 2>/dev/null", "run --help"), golden_damaged);
  EXPECT_EQ(shell("{} --json - >/dev/full 2>/dev/null", "run " + kGolden), golden_damaged);
}

TEST_F(BrokenStream, ThatAReaderLeavesCostsNoReport) {
  EXPECT_EQ(shell("{} 2>/dev/null | head -1 >/dev/null; exit ${PIPESTATUS[0]}", run()), holds);
  EXPECT_TRUE(report_is_whole());
  EXPECT_EQ(shell("{} 2>/dev/null | true; exit ${PIPESTATUS[0]}", "golden ls " + kGolden), holds);
}

TEST_F(BrokenStream, SaysThatAFileMayNotGrow) {
  const std::string said = (scratch_ / "said").string();

  EXPECT_EQ(shell("ulimit -f 1; {} --quiet >/dev/null 2>" + said, run()), golden_damaged);
  EXPECT_THAT(content(said), HasSubstr("report.json: File too large"));
  EXPECT_FALSE(fs::exists(report()));
}

}  // namespace
}  // namespace parity::cli

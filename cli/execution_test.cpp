// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Candidates that run here, from the command line: what they lack, faults around their kernels, their own run as a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace parity::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace testing;
using Json = nlohmann::json;

/// Status by tap, of isolated records.
std::map<std::string, std::string> statuses(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"run", "--quiet", "--no-explain", "--mode", "isolated", "--json", "-"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::map<std::string, std::string> result;
  const Json report = Json::parse(run_program(all).out);
  for (const Json& record : report.at("goldens").at(0).at("records"))
    result[record.at("tap")] = record.at("status").get<std::string>();
  return result;
}

TEST(Executions, ASavedRunIsJudgedAsTheCandidateIs) {
  const TemporaryFolder scratch;
  const std::string capture = (scratch / "mine.h5").string();

  const auto computed = statuses({kGolden, "--candidate", "cpu", "--save", capture});
  const auto recorded = statuses({kGolden, "--candidate", "capture:" + capture});

  int64_t judged = 0;
  for (const auto& [tap, status] : computed) {
    if (status == "skipped") continue;  // the file has the reference's value
    EXPECT_EQ(recorded.at(tap), status) << tap;
    ++judged;
  }
  EXPECT_GT(judged, 30);
}

TEST(Executions, AReplacedFileIsWholeOrAsItWas) {
  const TemporaryFolder scratch;
  write(scratch / "mine.h5", "not a recording");

  EXPECT_EQ(run_program({"run", kGolden, kGolden, "--save", (scratch / "mine.h5").string()}).exit_code, usage);
  EXPECT_EQ(content(scratch / "mine.h5"), "not a recording");
  ASSERT_EQ(run_program({"run", kGolden, "--quiet", "--save", (scratch / "mine.h5").string()}).exit_code, holds);
  EXPECT_EQ(run_program({"golden", "ls", (scratch / "mine.h5").string()}).exit_code, holds);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 1);
}

TEST(Executions, ATypeWithoutKernelsIsSkippedForOneReason) {
  const Output output =
      run_program({"run", (kData / "m3-text-f64").string(), "--candidate", "cpu", "--quiet", "--json", "-"});

  EXPECT_EQ(output.exit_code, nothing_ran) << output.out;
  for (const Json& record : Json::parse(output.out).at("goldens").at(0).at("records")) {
    EXPECT_EQ(record.at("status"), "skipped");
    EXPECT_EQ(record.at("reason"), "cpu has no kernels of f64");
  }
}

TEST(Executions, AFaultAroundANativeKernelIsNamed) {
  const Output output = run_program(
      {"run", (kData / "m3-text-f32").string(), "--candidate", "cpu+fault:rms_norm-without-one", "--quiet"});

  EXPECT_EQ(output.exit_code, broken);
  EXPECT_THAT(output.out, AllOf(HasSubstr("input_norm/out"), HasSubstr("(rms_norm-without-one)")));
}

TEST(Executions, FaultsAreStudiedAroundTheKernelsOfABackend) {
  const Output output = run_program(
      {"selftest", (kData / "m3-text-f32").string(), "--candidate", "cpu", "--faults", "rms_norm-without-*"});

  EXPECT_EQ(output.exit_code, holds) << output.out;
  EXPECT_THAT(output.out, AllOf(HasSubstr("PASS"), HasSubstr("rms_norm-without-one")));
  EXPECT_THAT(run_program({"selftest", "--candidate", "cpuu"}).err, HasSubstr("cpu"));
  EXPECT_EQ(run_program({"selftest", "--candidate", "fault:rms_norm-without-one"}).exit_code, usage);
}

}  // namespace
}  // namespace parity::cli

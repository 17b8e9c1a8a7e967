// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Candidates that run here: missing kernels, faults planted around kernels, and the candidate's run saved as a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace tests;
using Json = nlohmann::json;

/// Returns the status of each tap in isolated mode.
std::map<std::string, std::string> statuses(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"run", "--quiet", "--no-explain", "--mode", "isolated", "--json", "-"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::map<std::string, std::string> result;
  const Json report = Json::parse(run_program(all).out);
  for (const Json& record : report.at("goldens").at(0).at("records"))
    result[record.at("tap")] = record.at("status").get<std::string>();
  return result;
}

/// Returns the class of a run, and the class of the capture that the run saved.
std::pair<std::string, std::string> classes(const std::string& golden, const std::string& candidate) {
  const TemporaryFolder scratch;
  const std::string file = (scratch / "mine.h5").string();
  const auto answer = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"run", golden, "--quiet", "--no-explain", "--json", "-"};
    all.insert(all.end(), more.begin(), more.end());
    return Json::parse(run_program(all).out).at("class").get<std::string>();
  };
  const std::string computed = answer({"--candidate", candidate, "--save", file});
  return {computed, answer({"--candidate", "capture:" + file})};
}

TEST(Executions, ASavedRunIsJudgedAsTheCandidateIs) {
  for (const std::string golden : {"m3-text-bf16", "m3-text-f32"}) {
    for (const std::string candidate : {"cpu", "cpu:fused", "cpu+fault:rms_norm-without-one", "reference"}) {
      const auto [computed, recorded] = classes((kData / golden).string(), candidate);
      EXPECT_EQ(recorded, computed) << golden << " " << candidate;
    }
  }
}

TEST(Executions, ASavedRunSaysWhatTheCandidateComputed) {
  const TemporaryFolder scratch;
  const std::string capture = (scratch / "mine.h5").string();

  const auto computed = statuses({kGolden, "--candidate", "cpu", "--save", capture});
  const auto recorded = statuses({kGolden, "--candidate", "capture:" + capture});

  const auto file = golden::ActivationFile::open(capture);
  EXPECT_EQ(file.attributes().at("capture"), "declared");
  EXPECT_EQ(file.attributes().at("format_version"), "1.1");
  EXPECT_EQ(file.attributes().at("golden"), "m3-text-only-aux");
  for (const auto& [tap, status] : computed) EXPECT_EQ(recorded.at(tap), status) << tap << ", lent or its own";
  EXPECT_EQ(file.at("steps/000/text/embed/out").attributes.at("computed"), "lent");
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

TEST(Executions, OfACaptureAreNotSavedAgain) {
  const Output output = run_program({"run", kGolden, "--candidate", "capture:a.h5", "--save", "b.h5"});

  EXPECT_EQ(output.exit_code, usage);
  EXPECT_THAT(output.err, HasSubstr("is already a capture"));
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
  EXPECT_THAT(output.out, AllOf(HasSubstr("input_norm/out"), HasSubstr("fault rms_norm-without-one: ")));
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

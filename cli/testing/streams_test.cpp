// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Results go to stdout, progress goes to stderr, and scripts can rely on the exit codes.
#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"
#include "reports/files/schema_check.hpp"

namespace parity::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using namespace tests;
using nlohmann::json;

constexpr const char* kTapOfOutput = "steps/000/text/lm_head/out";

/// Copies the golden with one wrong element of `kTapOfOutput`; returns the folder.
std::string wrong_golden(const TemporaryFolder& scratch) {
  const auto file = golden::ActivationFile::open(kGolden + "/activations.h5");
  Changes changes;
  changes.values[kTapOfOutput] = with_element(file.read(kTapOfOutput), 3, 17.0);
  return copy_golden(kGolden, scratch / "wrong", changes).string();
}

json valid_report(const std::string& text) {
  const json document = json::parse(text, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << text.substr(0, 200);
  EXPECT_THAT(reports::schema_violations(document, reports::report_schema()), IsEmpty());
  return document;
}

TEST(Streams, ResultGoesToStdoutAndProgressToStderr) {
  const Output output = run_program({"run", kGolden});

  EXPECT_EQ(output.exit_code, holds);
  EXPECT_THAT(output.out, HasSubstr("parity holds: 1 golden"));
  EXPECT_THAT(output.out, Not(HasSubstr("judging")));
  EXPECT_EQ(output.err, "") << "progress is for terminals";
}

TEST(Streams, AreQuietWhenTold) { EXPECT_EQ(run_program({"run", kGolden, "--quiet"}).err, ""); }

TEST(Streams, DashMeansNothingButJson) {
  const Output output = run_program({"run", kGolden, "--taps", "--bit-equal", "--json", "-"});
  const json report = valid_report(output.out);

  EXPECT_EQ(output.exit_code, holds);
  EXPECT_EQ(report["verdict"], "pass");
  EXPECT_EQ(report["exit_code"], 0);
  EXPECT_THAT(report["command"].get<std::string>(), HasSubstr("run " + kGolden));
  EXPECT_EQ(report["goldens"][0]["taps"]["unknown"], 0);
}

TEST(Streams, JsonIsWholeWhenParityIsBroken) {
  const TemporaryFolder scratch;
  const Output output = run_program({"run", wrong_golden(scratch), "--json", "-"});
  const json report = valid_report(output.out);

  EXPECT_EQ(output.exit_code, broken);
  EXPECT_EQ(report["exit_code"], 1);
  EXPECT_EQ(report["first_divergence"]["tap"], kTapOfOutput);
}

TEST(Streams, JsonIsWholeWhenAGoldenIsMissing) {
  const Output output = run_program({"run", "/nowhere", kGolden, "--json", "-", "--quiet"});
  const json report = valid_report(output.out);

  EXPECT_EQ(output.exit_code, golden_damaged);
  EXPECT_EQ(report["exit_code"], 3);
  EXPECT_THAT(report["goldens"][0]["reason"].get<std::string>(), HasSubstr("no such golden"));
  EXPECT_EQ(report["goldens"][1]["verdict"], "pass") << "the others are judged nevertheless";
  EXPECT_EQ(lines(output.err).size(), 1U);
}

TEST(Streams, AMissingGoldenIsSaidOnceWhereBothAreOne) {
  const TemporaryFolder scratch;
  const std::string both = (scratch / "both").string();
  const std::string command = quoted(PARITY_PROGRAM) + " run /nowhere --quiet >" + quoted(both) + " 2>&1";
  ASSERT_NE(std::system(command.c_str()), 0);

  const std::vector<std::string> said = lines(content(both));
  const auto reasons = std::count_if(said.begin(), said.end(), [](const std::string& line) {
    return line.find("no such golden") != std::string::npos;
  });
  EXPECT_EQ(reasons, 1) << content(both);
  EXPECT_THAT(run_program({"run", "/nowhere", "--quiet"}).err, HasSubstr("no such golden")) << "stderr alone";
}

TEST(Streams, FileAndTerminalTellTheSame) {
  const TemporaryFolder scratch;
  const std::string file = (scratch / "deep/report.json").string();
  const Output output = run_program({"run", kGolden, "--json", file});

  EXPECT_EQ(valid_report(content(file))["verdict"], "pass");
  EXPECT_EQ(run_program({"report", "terminal", file}).out, output.out);
}

TEST(Streams, ResultIsNotLostWhenAFileCannotBeWritten) {
  const TemporaryFolder scratch;
  const std::string file = (scratch / "report.json").string();
  const Output output = run_program({"run", kGolden, "--json", file, "--quiet"}, "ulimit -f 2;");

  EXPECT_NE(output.exit_code, holds);
  EXPECT_THAT(output.out, HasSubstr("parity holds"));
}

TEST(ExitCode, SaysWhatHappened) {
  const TemporaryFolder scratch;

  EXPECT_EQ(run_program({"run", kGolden}).exit_code, 0);
  EXPECT_EQ(run_program({"run", wrong_golden(scratch)}).exit_code, 1);
  EXPECT_EQ(run_program({"run", kGolden, "--mode", "never"}).exit_code, 2);
  EXPECT_EQ(run_program({"run", (scratch / "missing").string()}).exit_code, 3);
  EXPECT_EQ(run_program({"run", kGolden, "--candidate", "torch"}).exit_code, PARITY_HAS_TORCH ? 0 : 4);
  EXPECT_EQ(run_program({"run", kGolden, "--candidate", "torch:nothing"}).exit_code, 4) << "no build has it";
  EXPECT_EQ(run_program({"run", kGolden, "--select", "no/such/tap"}).exit_code, 5);
  EXPECT_EQ(run_program({"--help"}).exit_code, 0);
  EXPECT_EQ(run_program({"run", "--help"}).exit_code, 0);
}

TEST(ExitCode, OfSeveralGoldensIsTheWorst) {
  const TemporaryFolder scratch;
  const std::string wrong = wrong_golden(scratch);

  EXPECT_EQ(run_program({"run", kGolden, kGolden}).exit_code, holds) << "the same one twice";
  EXPECT_EQ(run_program({"run", kGolden, wrong}).exit_code, broken);
  EXPECT_EQ(run_program({"run", wrong, "/nowhere", kGolden}).exit_code, golden_damaged);
}

TEST(Goldens, AreNamedByFolderByFileAndWithASlash) {
  for (const std::string& path :
       {kGolden + "/", kGolden + "/activations.h5", "./" + kGolden, fs::absolute(kGolden).string()}) {
    const Output output = run_program({"run", path, "--quiet"});

    EXPECT_EQ(output.exit_code, holds) << path << output.err;
    EXPECT_THAT(output.out, StartsWith("holds  m3-text-only-aux  ")) << path;
  }
}

TEST(Repro, OfAFailingLineFailsAlike) {
  const TemporaryFolder scratch;
  const std::string golden = wrong_golden(scratch);
  const json report = valid_report(run_program({"run", golden, "--json", "-", "--mode", "isolated"}).out);
  std::string repro;
  for (const json& record : report["goldens"][0]["records"]) {
    if (record["tap"] == kTapOfOutput) repro = record["repro"].get<std::string>();
  }
  EXPECT_EQ(repro, "parity repro '" + golden + "#" + kTapOfOutput + "'");

  const Output output = run_program({"repro", golden + "#" + kTapOfOutput});
  EXPECT_EQ(output.exit_code, broken);
  EXPECT_THAT(output.out, HasSubstr(std::string("first divergence ") + kTapOfOutput));
}

}  // namespace
}  // namespace parity::cli

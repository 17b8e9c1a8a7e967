// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// --html and --sarif wherever --json is taken, and `parity report html`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace tests;

constexpr const char* kText = "golden/data/m3-text-bf16";

TEST(PageOption, IsTakenByACommandThatWritesADocument) {
  const TemporaryFolder scratch;
  const std::string page = (scratch / "page.html").string();
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands{
      {"\"goldens\":", {"run", kGolden, "--mode", "isolated", "--quiet"}},
      {"\"kind\":\"battery\"", {"battery", "silu", "--cases", "2"}},
      {"\"kind\":\"guards\"", {"selftest", "--guards", "--components", "silu"}},
      {"\"kind\":\"diff\"", {"diff", kGolden, kGolden}}};
  for (auto [words, arguments] : commands) {
    arguments.insert(arguments.end(), {"--html", page});
    EXPECT_EQ(run_program(arguments).exit_code, holds) << words;
    EXPECT_THAT(content(page), AllOf(StartsWith("<!doctype html>"), HasSubstr(words)));
  }
}

TEST(PageOption, WritesTheErrorsOfFailingTaps) {
  const TemporaryFolder scratch;
  const std::string report = (scratch / "report.json").string();
  static_cast<void>(run_program({"run", kText, "--candidate", "fault:linear-every-16th-column", "--quiet",
                                 "--no-explain", "--mode", "isolated", "--json", report}));

  const auto document = nlohmann::json::parse(content(report));

  EXPECT_EQ(run_program({"report", "check", report}).exit_code, holds);
  int64_t pictures = 0;
  for (const auto& record : document["goldens"][0]["records"]) {
    EXPECT_EQ(record.contains("picture"), record["status"] == "fail") << record["tap"];
    pictures += record.contains("picture") ? 1 : 0;
  }
  EXPECT_EQ(pictures, 8);
}

TEST(ReportHtml, PutsSeveralDocumentsOnOnePage) {
  const TemporaryFolder scratch;
  const std::string report = (scratch / "report.json").string(), battery = (scratch / "battery.json").string();
  static_cast<void>(run_program({"run", kGolden, "--quiet", "--mode", "isolated", "--json", report}));
  static_cast<void>(run_program({"battery", "silu", "--cases", "2", "--json", battery}));

  const Output output = run_program({"report", "html", report, battery, report});

  EXPECT_EQ(output.exit_code, holds) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("\"kind\":\"battery\""), HasSubstr("\"rows\":")));
  EXPECT_EQ(run_program({"report", "markdown", report, battery}).exit_code, usage);
}

TEST(SarifOption, PointsAtTheSourceThatIsGiven) {
  const TemporaryFolder scratch;
  const std::string log = (scratch / "report.sarif").string();
  const Output output = run_program({"run", kText, "--candidate", "fault:linear-every-16th-column", "--quiet",
                                     "--no-explain", "--sarif", log, "--source", "linear=src/linear.cu"});
  const auto results = nlohmann::json::parse(content(log))["runs"][0]["results"];

  EXPECT_EQ(output.exit_code, broken);
  ASSERT_EQ(results.size(), 8U);
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/linear.cu");
}

TEST(SarifOption, OfABatteryPointsAtItsComponent) {
  const TemporaryFolder scratch;
  const std::string log = (scratch / "battery.sarif").string();
  static_cast<void>(run_program({"battery", "rms_norm", "--kernel", "fault:rms_norm-without-one", "--cases", "2",
                                 "--sarif", log, "--source", "rms_norm=norm.cu"}));
  const auto results = nlohmann::json::parse(content(log))["runs"][0]["results"];

  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "norm.cu");
}

TEST(SarifOption, RefusesASourceWithoutAComponent) {
  const Output output = run_program({"run", kGolden, "--quiet", "--sarif", "/dev/null", "--source", "norm.cu"});

  EXPECT_EQ(output.exit_code, usage);
  EXPECT_THAT(output.err, HasSubstr("--source 'norm.cu' is not of the form COMPONENT=FILE"));
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/sarif.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/document.hpp"
#include "reports/json/json.hpp"
#include "reports/testing/sample_report.hpp"

namespace parity::reports {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

std::string nowhere(const std::string& /*candidate*/, const std::string& /*component*/) { return {}; }
std::string norm(const std::string& /*candidate*/, const std::string& component) {
  return "kernels/" + component + ".cu";
}

ordered_json results_of(const ordered_json& document, const SourceOf& source_of) {
  return sarif(document, source_of)["runs"][0]["results"];
}

ordered_json place_of(const ordered_json& result) { return result["locations"][0]["physicalLocation"]; }

/// The document of a battery whose only failure the PTX machine found.
ordered_json battery_with(const std::vector<std::string>& finding) {
  const ordered_json first{
      {"case", "rms_norm f32 B1 S1 H4"}, {"reason", ""}, {"repro", "parity battery --case x"}, {"findings", {finding}}};
  const ordered_json component{{"component", "rms_norm"}, {"cases", 9}, {"failed", 2}, {"first", first}};
  return framed({"battery", "fail", "parity battery"}, {{"kernel", "cu:norm.cu"}, {"components", {component}}});
}

TEST(Sarif, PointsAtTheSourceOfTheKernel) {
  const ordered_json results = results_of(to_json(tests::sample_report()), norm);

  EXPECT_EQ(results[0]["ruleId"], "wrong-value");
  EXPECT_EQ(place_of(results[0])["artifactLocation"]["uri"], "kernels/rms_norm.cu");
  EXPECT_EQ(place_of(results[0])["region"]["startLine"], 1);
  EXPECT_THAT(results[0]["message"]["text"].get<std::string>(), HasSubstr("3 of 104448 elements beyond the tolerance"));
  EXPECT_THAT(results[0]["message"]["text"].get<std::string>(), HasSubstr("parity repro"));
}

TEST(Sarif, PointsAtTheGoldenWhereNoSourceIsKnown) {
  const ordered_json results = results_of(to_json(tests::sample_report()), nowhere);

  EXPECT_EQ(place_of(results[0])["artifactLocation"]["uri"], "goldens/m3");
}

TEST(Sarif, LeavesOutWhatAChainInherits) {
  const ordered_json results = results_of(to_json(tests::sample_report()), norm);

  for (const ordered_json& result : results)
    EXPECT_THAT(result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"].get<std::string>(),
                ::testing::Not(HasSubstr("[chained]")));
  EXPECT_EQ(results.size(), 5U) << "a value, a choice, one mistrusted, one error, and a golden that is absent";
}

TEST(Sarif, OfTheMachineNamesTheLine) {
  const ordered_json results = results_of(
      battery_with({"race in norm: 7 things (3 times)", "block (1,0,0) thread (16,0,0), at norm.cu:16 (PTX line 91)"}),
      [](const std::string&, const std::string&) { return std::string("kernels/norm.cu"); });

  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0]["ruleId"], "machine-finding");
  EXPECT_EQ(place_of(results[0])["artifactLocation"]["uri"], "kernels/norm.cu");
  EXPECT_EQ(place_of(results[0])["region"]["startLine"], 16);
}

TEST(Sarif, OfAnotherFileNamesThatFile) {
  const ordered_json results = results_of(
      battery_with({"race in norm: 7 things", "thread (0,0,0), at helper.cuh:7, called from norm.cu:42"}), norm);

  EXPECT_EQ(place_of(results[0])["artifactLocation"]["uri"], "helper.cuh");
  EXPECT_EQ(place_of(results[0])["region"]["startLine"], 7);
}

TEST(Sarif, OfNoFileAndLineNamesTheSource) {
  for (const char* text :
       {"thread at norm:7", "thread at norm.cu:-5", "thread at norm.cu:1234567890", "thread at norm.cu:7b",
        "flat norm.cu:7", "ends at norm.", "ends at ", "at :7", "at .cu:7"}) {
    const ordered_json results = results_of(battery_with({"race in norm: 7 things", text}), norm);
    EXPECT_EQ(place_of(results[0])["region"]["startLine"], 1) << text;
  }
}

TEST(Sarif, OfAGreenRunHasNoResults) {
  const ordered_json log = sarif(to_json(tests::green_report()), norm);

  EXPECT_TRUE(log["runs"][0]["results"].empty());
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_EQ(log["runs"][0]["tool"]["driver"]["rules"].size(), 5U);
}

TEST(Sarif, StaysBelowTheLimitsOfCodeHostsAndSaysSo) {
  compare::RunReport report = tests::sample_report();
  report.goldens[0].records.assign(1200, tests::failing_record());

  const ordered_json run = sarif(to_json(report), norm)["runs"][0];

  EXPECT_EQ(run["results"].size(), 1000U);
  EXPECT_THAT(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].get<std::string>(),
              HasSubstr("201 more findings"));
}

}  // namespace
}  // namespace parity::reports

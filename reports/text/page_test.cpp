// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/document.hpp"
#include "reports/json/json.hpp"
#include "reports/json/page_data.hpp"
#include "reports/testing/sample_report.hpp"

namespace parity::reports {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the data that the page holds, as its script reads them.
ordered_json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const size_t first = page.find(begin) + begin.size();
  return ordered_json::parse(page.substr(first, page.find("</script>", first) - first));
}

/// Returns a report with `count` taps that pass.
compare::RunReport many_taps(int64_t count) {
  compare::RunReport report = tests::green_report();
  for (int64_t i = 1; i < count; ++i) {
    report.goldens[0].records.push_back(tests::passing_record());
    report.goldens[0].records.back().tap += std::to_string(i);
  }
  report.goldens[0].records.push_back(tests::failing_record());
  return report;
}

TEST(Page, NeedsNothingElse) {
  const std::string page = html_page({to_json(tests::sample_report())});

  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* outside : {"src=", "@import", "url(", "fetch(", "XMLHttpRequest", "<link"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(Page, HoldsTheRecordsInRowsAndDetails) {
  const ordered_json data = data_of(html_page({to_json(tests::sample_report())}));
  const ordered_json& golden = data["documents"][0]["goldens"][0];

  ASSERT_EQ(golden["rows"].size(), tests::golden_report().records.size());
  EXPECT_EQ(golden["taps"][golden["rows"][1][0].get<size_t>()], tests::kFailingTap);
  EXPECT_EQ(golden["rows"][1][3], "fail");
  EXPECT_EQ(golden["details"]["1"]["picture"]["map"]["budget"], ordered_json({0.5, 2.0}));
  EXPECT_EQ(golden["taps_judged"], 5);
  EXPECT_EQ(data["left_out"], "");
}

TEST(Page, IsNotEndedByANameFromAFile) {
  compare::RunReport report = tests::sample_report();
  report.goldens[0].name = "</script><script>alert(1)</script><!--";

  const std::string page = html_page({to_json(report)});

  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_EQ(data_of(page)["documents"][0]["goldens"][0]["name"], report.goldens[0].name);
}

TEST(Page, IsReplacedNowhereByWhatADocumentSays) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].name = "/*style*/ /*script*/ /*data*/";

  EXPECT_EQ(data_of(html_page({to_json(report)}))["documents"][0]["goldens"][0]["name"], report.goldens[0].name);
}

TEST(Page, LeavesOutDetailsOfPassingTapsFirst) {
  const ordered_json whole = page_data({to_json(many_taps(300))}, 10'000'000);
  const size_t most = whole.dump().size();

  const ordered_json part = page_data({to_json(many_taps(300))}, most / 2);

  EXPECT_EQ(part["left_out"], "details of taps that pass");
  EXPECT_LE(part.dump().size(), most / 2);
  EXPECT_EQ(part["documents"][0]["goldens"][0]["rows"].size(), 301U);
  ASSERT_EQ(part["documents"][0]["goldens"][0]["details"].size(), 1U);
  EXPECT_TRUE(part["documents"][0]["goldens"][0]["details"]["300"].contains("picture"));
}

TEST(Page, OfManyTapsStaysBelowItsLimit) {
  const std::string page = html_page({to_json(many_taps(3000))}, 1'000'000);

  EXPECT_LE(page.size(), 1'000'000U);
  EXPECT_EQ(data_of(page)["documents"][0]["goldens"][0]["rows"].size(), 3001U);
}

TEST(Page, TakesDocumentsOfOtherCommandsAsTheyAre) {
  const ordered_json study = framed({"battery", "fail", "parity battery"}, {{"components", {{{"component", "silu"}}}}});

  const ordered_json data = data_of(html_page({study, to_json(tests::green_report())}));

  EXPECT_EQ(data["documents"][0], study);
  EXPECT_TRUE(data["documents"][1]["goldens"][0].contains("rows"));
}

}  // namespace
}  // namespace parity::reports

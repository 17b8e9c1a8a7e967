// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/junit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/testing/sample_report.hpp"
#include "reports/text/record_text.hpp"

namespace parity::reports {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(JUnit, CountsCasesPerGolden) {
  const std::string xml = junit_xml(tests::sample_report());

  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"parity\" tests=\"10\" failures=\"5\" errors=\"2\" skipped=\"2\""));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"m3&lt;a&amp;b&gt;\" tests=\"9\" failures=\"5\" errors=\"1\""));
}

TEST(JUnit, CasesAreInPlanOrder) {
  const std::string xml = junit_xml(tests::sample_report());
  size_t before = 0;
  for (const compare::Record& record : tests::golden_report().records) {
    const size_t at = xml.find("#" + record.tap + " [" + to_string(record.mode) + "]");
    ASSERT_NE(at, std::string::npos) << record.tap;
    EXPECT_GT(at, before) << record.tap;
    before = at;
  }
}

TEST(JUnit, CarriesTimes) {
  compare::RunReport report = tests::sample_report();
  report.goldens[0].records[0].seconds = 0.25;

  const std::string xml = junit_xml(report);

  EXPECT_THAT(xml, HasSubstr("classname=\"m3&lt;a&amp;b&gt;.attention_dense\" time=\"0.250\""));
  EXPECT_THAT(xml, ::testing::ContainsRegex("<testsuite name=\"m3[^>]+ time=\"1.250\">"));
}

TEST(JUnit, NamesACaseByGoldenTapAndMode) {
  const std::string xml = junit_xml(tests::sample_report());

  EXPECT_THAT(xml, HasSubstr("<testcase name=\"m3&lt;a&amp;b&gt;#steps/000/text/layers/07/input_norm/out [isolated]\" "
                             "classname=\"m3&lt;a&amp;b&gt;.rms_norm\""));
  EXPECT_THAT(xml, HasSubstr("input_norm/out [chained]\""));
  EXPECT_THAT(xml, Not(HasSubstr("m3<a")));
}

TEST(JUnit, FailureCarriesTheFailingTextAndTheBudget) {
  const std::string xml = junit_xml(tests::sample_report());

  EXPECT_THAT(xml, AllOf(HasSubstr("<failure message=\"steps/000/text/layers/07/input_norm/out: 2x the limit, 3 of "
                                   "104448 elements beyond it\" "
                                   "type=\"fail\">FAIL steps/"),
                         HasSubstr("repro parity repro &apos;m3&lt;a&amp;b&gt;#"),
                         HasSubstr("<property name=\"budget_used\" value=\"2\"/>"),
                         HasSubstr("<property name=\"budget_used\" value=\"NaN\"/>")));
}

TEST(JUnit, SkipsErrorsAndUnimplementedHaveTheirOwnForm) {
  const std::string xml = junit_xml(tests::sample_report());

  EXPECT_THAT(xml, HasSubstr("<skipped message=\"steps/000/c: needs a GPU\"/>"));
  EXPECT_THAT(xml, HasSubstr("<error message=\"steps/000/b: kernel threw\" type=\"error\">"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"steps/000/d: no cuda kernel\" type=\"unimplemented\">"));
}

TEST(JUnit, GoldenThatCouldNotBeJudgedIsOneError) {
  EXPECT_THAT(junit_xml(tests::sample_report()),
              HasSubstr("<testcase name=\"goldens/absent\" classname=\"goldens/absent.golden\" time=\"0.000\">\n"
                        "      <error message=\"activations.h5 is missing; run golden/fetch.sh\" type=\"error\">"));
}

TEST(JUnit, EmptyRunAndEmptyGoldenAreErrors) {
  EXPECT_THAT(junit_xml({}), HasSubstr("errors=\"1\""));

  compare::RunReport report = tests::green_report();
  report.goldens[0].records.clear();

  EXPECT_THAT(junit_xml(report), HasSubstr("<error message=\"no tap of this golden was judged\""));
}

TEST(JUnit, LosesControlCharacters) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].records[0].tap = "a\x01\033[0m\xFF\"";

  EXPECT_THAT(junit_xml(report), HasSubstr("#a??[0m\xEF\xBF\xBD&quot; [isolated]"));
}

}  // namespace
}  // namespace parity::reports

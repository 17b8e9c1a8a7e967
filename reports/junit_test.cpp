// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/junit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/record_text.hpp"
#include "reports/sample_report.hpp"

namespace parity::reports {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(JUnit, CountsCasesPerGoldenAndComponent) {
  const std::string xml = junit_xml(testing::sample_report());

  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"parity\" tests=\"10\" failures=\"5\" errors=\"2\" skipped=\"2\""));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"m3&lt;a&amp;b&gt;.rms_norm\" tests=\"2\" failures=\"2\" errors=\"0\""));
}

TEST(JUnit, NamesACaseByGoldenTapAndMode) {
  const std::string xml = junit_xml(testing::sample_report());

  EXPECT_THAT(xml, HasSubstr("<testcase name=\"m3&lt;a&amp;b&gt;#steps/000/text/layers/07/input_norm/out [isolated]\" "
                             "classname=\"m3&lt;a&amp;b&gt;.rms_norm\""));
  EXPECT_THAT(xml, HasSubstr("input_norm/out [chained]\""));
  EXPECT_THAT(xml, Not(HasSubstr("m3<a")));
}

TEST(JUnit, FailureCarriesTheFailingTextAndTheBudget) {
  const std::string xml = junit_xml(testing::sample_report());

  EXPECT_THAT(
      xml, AllOf(HasSubstr(
                     "<failure message=\"steps/000/text/layers/07/input_norm/out: 200% of budget   3/104448 elements\" "
                     "type=\"fail\">FAIL steps/"),
                 HasSubstr("repro parity repro &apos;m3&lt;a&amp;b&gt;#"),
                 HasSubstr("<property name=\"budget_used\" value=\"2\"/>"),
                 HasSubstr("<property name=\"budget_used\" value=\"NaN\"/>")));
}

TEST(JUnit, SkipsErrorsAndUnimplementedHaveTheirOwnForm) {
  const std::string xml = junit_xml(testing::sample_report());

  EXPECT_THAT(xml, HasSubstr("<skipped message=\"steps/000/c: needs a GPU\"/>"));
  EXPECT_THAT(xml, HasSubstr("<error message=\"steps/000/b: kernel threw\" type=\"error\">"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"steps/000/d: no cuda kernel\" type=\"unimplemented\">"));
}

TEST(JUnit, GoldenThatCouldNotBeJudgedIsOneError) {
  EXPECT_THAT(junit_xml(testing::sample_report()),
              HasSubstr("<testcase name=\"goldens/absent\" classname=\"goldens/absent.golden\" time=\"0\">\n"
                        "      <error message=\"activations.h5 is missing; run golden/fetch.sh\" type=\"error\">"));
}

TEST(JUnit, EmptyRunAndEmptyGoldenAreErrors) {
  EXPECT_THAT(junit_xml({}), HasSubstr("errors=\"1\""));

  compare::RunReport report = testing::green_report();
  report.goldens[0].records.clear();

  EXPECT_THAT(junit_xml(report), HasSubstr("<error message=\"nothing of this golden was judged\""));
}

TEST(JUnit, LosesControlCharacters) {
  compare::RunReport report = testing::green_report();
  report.goldens[0].records[0].tap = "a\x01\033[0m\xFF\"";

  EXPECT_THAT(junit_xml(report), HasSubstr("#a??[0m\xEF\xBF\xBD&quot; [isolated]"));
}

}  // namespace
}  // namespace parity::reports

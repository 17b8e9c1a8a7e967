// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/markdown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/testing/sample_report.hpp"
#include "reports/text/record_text.hpp"

namespace parity::reports {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

int64_t occurrences(const std::string& text, const std::string& part) {
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Markdown, BeginsWithTheVerdict) {
  EXPECT_THAT(markdown(tests::sample_report()),
              StartsWith("## ❌ `PARITY BROKEN: m3<a&b>: first divergence " + std::string(tests::kFailingTap)));
  EXPECT_THAT(markdown(tests::green_report()), StartsWith("## ✅ `parity holds: 1 golden"));
  EXPECT_THAT(markdown({}), StartsWith("## ❌ `PARITY NOT SHOWN"));
}

TEST(Markdown, TablesHaveARowPerGoldenAndComponent) {
  const std::string text = markdown(tests::sample_report());

  EXPECT_THAT(text, HasSubstr("| `m3<a&b>` | `transformers 5.12.0` | fail | `" + std::string(tests::kFailingTap) +
                              " (rms_norm): partial_rotary_factor = 1.0`, values `exchanged: heads 3 and 5 "
                              "exchanged` | 5 | 1 | 0.0012 | Infinity | 1 |"));
  EXPECT_THAT(text, HasSubstr("| `goldens/absent` | - | error: `activations.h5 is missing; run golden/fetch.sh` | - | "
                              "0 | - | - | - | - |"));
  EXPECT_THAT(text, HasSubstr("| `rms_norm` | 2 | 2 | - | - | NaN | 99.9971% |"));
}

TEST(Markdown, ForcedReplayCountsAsAChain) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].records.push_back(tests::passing_record());
  report.goldens[0].records.back().mode = compare::Mode::forced;
  report.goldens[0].records.back().relative_error = 0.034;

  EXPECT_THAT(markdown(report), HasSubstr("| 1 | 0.0012 | 0.034 |"));
}

TEST(Markdown, ShowsFailuresInPlanOrderInFullWithTheirRepro) {
  const std::string text = markdown(tests::sample_report());

  EXPECT_THAT(text, HasSubstr("### Failures: the first 6 of 6"));
  EXPECT_THAT(text, HasSubstr("```text\n" + failing_text(tests::failing_record()) + "\n```"));
  EXPECT_LT(text.find("FAIL " + std::string(tests::kFailingTap) + "   rms_norm  "), text.find("MISTRUSTED steps"));
  EXPECT_LT(text.find("MISTRUSTED steps"), text.find("ERROR steps/000/b"));
  EXPECT_LT(text.find("ERROR steps/000/b"), text.find("[chained]"));
  EXPECT_THAT(text, HasSubstr("$ parity run goldens/* --candidate cuda"));
}

TEST(Markdown, HasTheTerminalsTableOfDeviations) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].records[0].deviation = compare::Deviation{"rounding", "rounds fewer times or later", 0.62};

  const std::string text = markdown(report);

  EXPECT_THAT(text, HasSubstr("### What rounds differently in `m3`"));
  EXPECT_THAT(text, HasSubstr("| attention_dense | rounds fewer times or later | 1 | 0.62 to 0.62 |"));
}

TEST(Markdown, GreenRunHasNoFailures) { EXPECT_THAT(markdown(tests::green_report()), Not(HasSubstr("Failures"))); }

TEST(Markdown, NamesCannotBreakOutOfTheirCell) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].name = "a|b`c\n<d>";

  EXPECT_THAT(markdown(report), HasSubstr("| `a\\|b'c?<d>` |"));
}

TEST(Markdown, StaysBelowTheLimitAndSaysWhatIsLeftOut) {
  compare::RunReport report = tests::sample_report();
  for (int i = 0; i < 2000; ++i) {
    report.goldens.push_back(tests::golden_report());
    report.goldens.back().name += std::to_string(i);
  }

  for (const size_t limit : {size_t{4096}, size_t{10000}, kLongestComment}) {
    const std::string text = markdown(report, limit);

    EXPECT_LE(text.size(), limit);
    EXPECT_THAT(text, AllOf(HasSubstr("_The report is too long for a comment: "), HasSubstr("$ parity run goldens/*")));
    EXPECT_EQ(occurrences(text, "```") % 2, 0);
  }
}

TEST(Markdown, FrameFitsTheSmallestLimitWhateverItsTexts) {
  compare::RunReport report = tests::sample_report();
  report.command = std::string(5000, '|') + "\xFF";
  report.environment.cpu = std::string(5000, '|');
  report.first_divergence->explanation = std::string(5000, '|');

  EXPECT_LE(markdown(report, 4096).size(), 4096U);
}

}  // namespace
}  // namespace parity::reports

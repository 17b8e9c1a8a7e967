// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity report check` validates a report.json against its schema.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

TEST(ReportCheck, ListsWhatIsWrongAndAcceptsWhatIsRight) {
  const TemporaryFolder scratch;
  const std::string file = (scratch / "report.json").string();
  ASSERT_EQ(run_program({"run", kGolden, "--quiet", "--json", file}).exit_code, holds);
  EXPECT_EQ(run_program({"report", "check", file}).exit_code, holds);

  std::string text = content(file);
  text.replace(text.find("\"verdict\": \"pass\""), 17, "\"verdict\": \"good\"");
  write(file, text);
  const Output wrong = run_program({"report", "check", file});
  EXPECT_EQ(wrong.exit_code, golden_damaged);
  EXPECT_THAT(wrong.out, HasSubstr("/verdict"));
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity diff` on terminals of two widths.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/mistake.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

using namespace tests;

TEST(Diff, FitsTheWidthOfTheTerminal) {
  const std::string left = (kData / "m3-items").string(), right = (kData / "m3-even-f32").string();
  for (const size_t width : {80U, 100U}) {
    const Output output = run_program({"diff", left, right}, "COLUMNS=" + std::to_string(width));

    EXPECT_EQ(output.exit_code, broken);
    EXPECT_THAT(output.out, ::testing::HasSubstr("bit-equal"));
    for (const std::string& line : lines(output.out)) EXPECT_LE(reports::columns(line), width) << line;
  }
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/shell.hpp"

#include <gtest/gtest.h>

namespace parity {
namespace {

TEST(ShellQuoted, IsOneWordWhateverIsInIt) {
  EXPECT_EQ(shell_quoted("golden/data/m3#loss"), "'golden/data/m3#loss'");
  EXPECT_EQ(shell_quoted("g';touch X;'"), R"('g'\'';touch X;'\''')");
  EXPECT_EQ(shell_quoted(R"($(a) `b` \ "c")"), R"('$(a) `b` \ "c"')");
  EXPECT_EQ(shell_quoted("a\x1b[2J"), R"('a'$'\x1b''[2J')");
  EXPECT_EQ(shell_quoted("a\u009b2J\u00e4"), "'a'$'\\xc2\\x9b''2J\u00e4'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(ShellLine, QuotesWhatNeedsIt) {
  EXPECT_EQ(shell_line({"parity", "run", "golden/data/m3-text", "--select", "*/moe", "--nothing=-3.4e38"}),
            "parity run golden/data/m3-text --select '*/moe' --nothing=-3.4e38");
  EXPECT_EQ(shell_line({"a b", "", "c'd"}), R"('a b' '' 'c'\''d')");
}

}  // namespace
}  // namespace parity

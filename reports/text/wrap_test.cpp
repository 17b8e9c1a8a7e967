// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/wrap.hpp"

#include <gtest/gtest.h>

namespace parity::reports {
namespace {

TEST(Wrap, BreaksAtSpacesAndHangs) {
  EXPECT_EQ(wrapped("one two three four", 9, 2, 0), "one two\n  three\n  four");
  EXPECT_EQ(wrapped("one two", 9, 4), "one\n    two") << "the text before the first line is as wide as the indent";
  EXPECT_EQ(wrapped("one two", 80, 2), "one two");
}

TEST(Wrap, GapsEndWithTheLine) { EXPECT_EQ(wrapped("one   two", 6, 2, 0), "one\n  two"); }

TEST(Wrap, LongWordStaysWhole) { EXPECT_EQ(wrapped("a steps/000/text b", 8, 1, 0), "a\n steps/000/text\n b"); }

TEST(Wrap, CommandIsContinuedAsAShellReadsIt) {
  EXPECT_EQ(wrapped_command("parity repro 'a --b' --candidate cpu --mode forced", 40, 2),
            "parity repro 'a --b' --candidate cpu \\\n  --mode forced");
  EXPECT_EQ(wrapped_command("parity run x --mode forced", 20, 2), "parity run x \\\n  --mode forced")
      << "before options first";
  EXPECT_EQ(wrapped_command("parity repro 'a b c d e' --mode forced", 18, 2),
            "parity repro \\\n  'a b c d e' \\\n  --mode forced");
}

TEST(Wrap, AWordThatIsTooLongForTheIndentGetsASmallerOne) {
  EXPECT_EQ(wrapped_command("parity repro 'golden#steps/000/out'", 26, 10),
            "parity repro \\\n  'golden#steps/000/out'");
}

TEST(Wrap, WhatIsLostIsMarked) {
  EXPECT_EQ(shortened("abcdef", 4), "abc…");
  EXPECT_EQ(shortened("abcd", 4), "abcd");
}

}  // namespace
}  // namespace parity::reports

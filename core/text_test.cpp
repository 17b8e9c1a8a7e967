// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Edit distance, nearest names and globs.
#include "core/text.hpp"

#include <gtest/gtest.h>

namespace parity {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsAndSubstitutions) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("router", "ruoter"), 2);  // a swap is two substitutions
  EXPECT_EQ(edit_distance("flaw", "lawn"), 2);
}

TEST(EditDistance, IsSymmetric) { EXPECT_EQ(edit_distance("rms_norm", "norm"), edit_distance("norm", "rms_norm")); }

TEST(NearestName, PicksTheSmallestDistance) {
  EXPECT_EQ(nearest_name("ruter", {"linear", "router", "swiglu"}), "router");
  EXPECT_EQ(nearest_name("linear", {"linea", "linear"}), "linear");
  EXPECT_EQ(nearest_name("ab", {"ax", "ay"}), "ax");  // equal: the first
}

TEST(NearestName, IsEmptyBeyondAThirdOfTheName) {
  EXPECT_EQ(nearest_name("abc", {"abxy"}), "abxy");                  // 2: short names may always be off by two
  EXPECT_EQ(nearest_name("abc", {"xyzc"}), "");                      // 3
  EXPECT_EQ(nearest_name("abcdefghi", {"abcdefxyz"}), "abcdefxyz");  // 3 of 9
  EXPECT_EQ(nearest_name("abcdefghi", {"abcdewxyz"}), "");           // 4 of 9
  EXPECT_EQ(nearest_name("abc", {}), "");
}

TEST(DidYouMean, IsAClauseOrNothing) {
  EXPECT_EQ(did_you_mean("egaer", {"eager", "sdpa"}), " (did you mean 'eager'?)");
  EXPECT_EQ(did_you_mean("flash", {"eager", "sdpa"}), "");
}

TEST(Glob, StarMatchesAnyRunWithSlashesAndNothing) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("steps/*/out", "steps/000/text/layers/03/out"));
  EXPECT_TRUE(glob_match("a*b", "ab"));
  EXPECT_TRUE(glob_match("**a**", "a"));
  EXPECT_FALSE(glob_match("a*b", "abc"));
  EXPECT_FALSE(glob_match("", "a"));
}

TEST(Glob, StarGivesBackWhatItTookTooMuch) {
  EXPECT_TRUE(glob_match("*ab", "aab"));
  EXPECT_TRUE(glob_match("a*b*c", "abxbc"));
  EXPECT_TRUE(glob_match("*router*weights", "moe/router/router/weights"));
  EXPECT_FALSE(glob_match("*ab*ba", "aba"));  // the middle letters cannot be used twice
}

TEST(Glob, QuestionMarkMatchesExactlyOneCharacter) {
  EXPECT_TRUE(glob_match("layers/0?/in", "layers/03/in"));
  EXPECT_FALSE(glob_match("layers/0?/in", "layers/0/in"));
  EXPECT_FALSE(glob_match("?", ""));
  EXPECT_TRUE(glob_match("*?", "a"));
  EXPECT_FALSE(glob_match("*?", ""));
}

TEST(Glob, AStarInTheTextIsAnOrdinaryCharacter) {
  EXPECT_TRUE(glob_match("a*", "a*b"));
  EXPECT_FALSE(glob_match("ab", "a*"));
}

TEST(Glob, ManyStarsTakeNoExponentialTime) {
  const std::string text(2000, 'a');

  EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

}  // namespace
}  // namespace parity

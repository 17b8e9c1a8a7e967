// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/gate/policy_text.hpp"

#include <string>

#include <gtest/gtest.h>

#include "cli/gate/gate_policy.hpp"
#include "core/error.hpp"

namespace parity::cli {
namespace {

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

TEST(PolicyText, IsNestedAsDeepAsATableOfKeys) {
  const std::string deep = repeated("a.", 100000) + "a";
  const std::string quoted = repeated("\"a\" . ", 100) + "a";

  EXPECT_THROW(check_policy_text("[" + deep + "]\n"), Error);
  EXPECT_THROW(check_policy_text(deep + " = 1\n"), Error);
  EXPECT_THROW(check_policy_text("[run]\n" + quoted + " = 1\n"), Error);
  EXPECT_THROW(check_policy_text("a = " + repeated("[", 100)), Error);
  EXPECT_THROW(check_policy_text("a = " + repeated("{a=", 100)), Error);
}

/// A quoted text ends where the parser says that it ends, so what follows it is checked, too.
TEST(PolicyText, HidesNoKeyBehindQuotes) {
  const std::string deep = repeated("a.", 100) + "a = 1";
  for (const char* before : {"''", "\"\"", "'''x'''", "\"\"\"x\"\"\"\"", "\"\"\"\"\"\"\"\"", "'''x'''''", "\"\\\"\"",
                             "\"\"\"\\\"\"\"\"", "'\\'", "# '''\n", "\"\n"})
    EXPECT_THROW(check_policy_text(std::string("x = [") + before + ", {" + deep + "}]"), Error) << before;
}

TEST(PolicyText, MayHoldDotsAndBracketsInQuotesAndComments) {
  check_policy_text("# " + repeated(".[", 100) + "\n[run]\ngoldens = [\"" + repeated("a.[", 100) + "\", '" +
                    repeated("a.{", 100) + "']\nx = \"\"\"\n" + repeated("a.[\n", 100) + "\"\"\"\n");
  check_policy_text("budget = {" + repeated("linear = 0.5, ", 100) + "}\n");
  check_policy_text("");
  check_policy_text("#");
}

TEST(Policy, OfAnyTextIsReadOrRefused) {
  EXPECT_THROW(static_cast<void>(parse_policy("[" + repeated("a.", 100000) + "a]\n", "p.toml")), Error);
  EXPECT_THROW(static_cast<void>(parse_policy(repeated("x", (1 << 20) + 1), "p.toml")), Error);
  EXPECT_EQ(parse_policy("[relations]\n", "p.toml").commands.at("relations"), "parity relations ");
}

}  // namespace
}  // namespace parity::cli

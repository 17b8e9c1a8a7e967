// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: expects that a mistake on the command line gives one helpful line on stderr and its exit code.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/program.hpp"

namespace parity::cli::tests {

struct Mistake {
  const char* name;
  std::vector<std::string> arguments;
  int exit_code;
  std::vector<std::string> mentions;
};

inline std::ostream& operator<<(std::ostream& stream, const Mistake& mistake) { return stream << mistake.name; }

inline void expect_one_line_that_helps(const Mistake& mistake) {
  const Output output = run_program(mistake.arguments);

  EXPECT_EQ(output.exit_code, mistake.exit_code) << output.err;
  ASSERT_EQ(lines(output.err).size(), 1U) << output.err;
  EXPECT_THAT(output.err, ::testing::StartsWith("parity: "));
  EXPECT_THAT(output.err, ::testing::Not(::testing::HasSubstr("?;"))) << "a question inside a sentence";
  for (const std::string& mention : mistake.mentions) EXPECT_THAT(output.err, ::testing::HasSubstr(mention));
}

}  // namespace parity::cli::tests

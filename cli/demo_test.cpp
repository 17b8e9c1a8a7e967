// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity demo` shows what it promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace tests;

TEST(Demo, JudgesRightKernelsAndNamesAPlantedBug) {
  const Output output = run_program({"demo"});

  EXPECT_EQ(output.exit_code, holds) << output.out << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("fault linear-every-16th-column"), HasSubstr("0 of "),
                                HasSubstr("demo: 3 of 3 commands ended with the expected exit code")));
}

}  // namespace
}  // namespace parity::cli

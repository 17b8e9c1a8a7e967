// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What stands behind a first divergence when nobody looked for the bug.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace testing;

/// The golden is gone when the program ends.
TEST(SyntheticRun, NamesItselfAndNotTheFolderThatItDeletes) {
  const std::vector<std::string> sizes{"--layers", "0",       "--words", "16",       "--tokens",
                                       "1",        "--batch", "1",       "--decode", "0"};
  std::vector<std::string> run{"run",     "--synthetic",  "m2",       "--candidate",     "fault:rms_norm-one-added",
                               "--quiet", "--no-explain", "--select", "*/input_norm/out"};
  run.insert(run.end(), sizes.begin(), sizes.end());

  const Output output = run_program(run);

  EXPECT_EQ(output.exit_code, 1) << output.out << output.err;
  EXPECT_THAT(output.out,
              AllOf(HasSubstr("repro   parity run --synthetic m2 --words 16 --batch 1 --tokens 1 --decode 0 "),
                    HasSubstr("--select 'steps/000/text/layers/00/input_norm/out'"), Not(HasSubstr("parity repro"))));
}

}  // namespace
}  // namespace parity::cli

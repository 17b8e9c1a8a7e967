// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity explain` finds the cause of a first divergence that the run left unexplained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

/// The golden of a synthetic run is deleted when the program ends.
TEST(SyntheticRun, NamesItselfAndNotTheFolderThatItDeletes) {
  const std::vector<std::string> sizes{"--layers", "0",       "--words", "16",       "--tokens",
                                       "1",        "--batch", "1",       "--decode", "0"};
  std::vector<std::string> run{"run",     "--synthetic",  "m2",       "--candidate",     "fault:rms_norm-one-added",
                               "--quiet", "--no-explain", "--select", "*/input_norm/out"};
  run.insert(run.end(), sizes.begin(), sizes.end());

  const Output output = run_program(run);

  EXPECT_EQ(output.exit_code, 1) << output.out << output.err;
  EXPECT_THAT(
      output.out,
      ::testing::AllOf(HasSubstr("repro   parity run --synthetic m2 --words 16 --batch 1 --tokens 1 --decode 0 "),
                       HasSubstr("--select 'steps/000/text/layers/00/input_norm/out'"),
                       ::testing::Not(HasSubstr("parity repro"))));
}

/// The nodes of an assumed fault have names that no component has.
TEST(Assume, TakesAFaultThatIsWrappedAroundAKernelAndOneWithAKernelOfItsOwn) {
  for (const char* fault : {"linear-every-16th-column", "rms_norm-without-one", "router-bias-dropped"}) {
    const Output run = run_program(
        {"run", kGolden, "--assume", fault, "--candidate", std::string("fault:") + fault, "--no-explain", "--quiet"});
    EXPECT_LT(run.exit_code, 2) << fault << run.out << run.err;
    EXPECT_THAT(run.out, ::testing::Not(HasSubstr("no component"))) << fault;
  }
}

TEST(Explain, SaysThatNothingIsWrongWhereACandidateRoundsDifferently) {
  const TemporaryFolder scratch;
  const std::string golden = (kData / "m3-text-bf16").string(), capture = "capture:" + (scratch / "mine.h5").string();
  const Output saved = run_program({"run", golden, "--candidate", "cpu", "--mode", "isolated", "--no-explain",
                                    "--quiet", "--save", (scratch / "mine.h5").string()});
  ASSERT_EQ(saved.exit_code, 0) << saved.out << saved.err;
  ASSERT_THAT(saved.out, HasSubstr("round differently"));

  for (const std::string& candidate : {capture, std::string("cpu")}) {
    const Output output = run_program({"explain", golden, "--candidate", candidate, "--quiet"});

    EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
    EXPECT_THAT(output.out,
                ::testing::AllOf(HasSubstr("  the candidate rounds differently: "), HasSubstr("  nothing is wrong: "),
                                 ::testing::Not(HasSubstr("no known fault"))));
  }
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Makes and judges captures from the command line, as a user does.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace tests;

const std::string kFloats = "golden/data/m3-text-f32";

class CaptureCommand : public ::testing::Test {
 protected:
  Output init(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"capture", "init", kFloats, mine()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  Output run(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run",    kFloats,    "--candidate", "capture:" + mine(),
                                       "--mode", "isolated", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  [[nodiscard]] std::string mine() const { return (scratch / "mine.h5").string(); }

  TemporaryFolder scratch;
};

TEST_F(CaptureCommand, ThatNobodyFilledJudgesNothing) {
  ASSERT_EQ(init().exit_code, holds);
  const Output output = run();

  EXPECT_EQ(output.exit_code, nothing_ran) << output.out << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("NOT SHOWN"), HasSubstr("in the file, but never filled")));
}

TEST_F(CaptureCommand, DoesNotOverwriteWhatAScriptFilled) {
  ASSERT_EQ(init().exit_code, holds);

  EXPECT_EQ(init().exit_code, usage);
}

TEST_F(CaptureCommand, WithoutAnyTapIsAMistake) {
  const Output output = init({"--only", "*/nowhere/*"});

  EXPECT_EQ(output.exit_code, usage);
  EXPECT_THAT(output.err, HasSubstr("--only and --without leave no recorded tap"));
}

TEST_F(CaptureCommand, ThatIsACopyOfTheGoldenJudgesNothing) {
  fs::copy_file(kFloats + "/activations.h5", mine());
  const Output output = run();

  EXPECT_EQ(output.exit_code, nothing_ran) << output.out;
  EXPECT_THAT(output.out, HasSubstr("nothing was judged"));
}

TEST_F(CaptureCommand, OptionsOfItsReadingAreChecked) {
  EXPECT_EQ(run_program({"run", kFloats, "--inputs", "golden"}).exit_code, usage);
  ASSERT_EQ(init().exit_code, holds);
  EXPECT_EQ(run({"--inputs", "goldens"}).exit_code, usage);
  EXPECT_EQ(run({"--nothing=3e4"}).exit_code, usage);
  EXPECT_EQ(run_program({"run", kFloats, "--candidate", "capture:" + mine(), "--inputs", "golden", "--mode", "chained"})
                .exit_code,
            usage);
}

/// Tests the example in docs/captures.md.
TEST_F(CaptureCommand, IsFilledByTheExample) {
  if (std::system("python3 -c 'import h5py, numpy' >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs h5py and numpy";
  ASSERT_EQ(init({"--only", "*/text/embed/out", "--only", "*/layers/00/input_norm/out"}).exit_code, holds);
  const std::string fill = "python3 examples/capture_h5py.py " + kFloats + "/checkpoint " + quoted(mine());
  ASSERT_EQ(std::system(fill.c_str()), 0);

  const Output output = run({"--require", "token_embedding", "-v"});

  EXPECT_EQ(output.exit_code, holds) << output.out << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("not computed: taps other than"), HasSubstr("4 of")));
  EXPECT_EQ(run({"--require", "router"}).exit_code, broken);
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Bisects an engine that runs as a separate process: the reference with a planted fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

const std::string kEngineGolden = "golden/data/m3-text-f32";
const std::string kFaulty = quoted(PARITY_PROGRAM) + " engine " + kEngineGolden +
                            " --fault combine-shared-halved --at " + "steps/000/text/layers/01/moe";

TEST(BisectEngine, NamesTheFaultyNodeFromBothSides) {
  const Output rest = run_program({"bisect", kEngineGolden, "--engine", kFaulty});
  EXPECT_EQ(rest.exit_code, broken) << rest.err;
  EXPECT_THAT(rest.out, HasSubstr("last faulty node: steps/000/text/layers/01/moe (moe_combine)"));

  const Output first = run_program({"bisect", kEngineGolden, "--stop", "--engine", kFaulty});
  EXPECT_EQ(first.exit_code, broken) << first.err;
  EXPECT_THAT(first.out, HasSubstr("first faulty node: steps/000/text/layers/01/moe (moe_combine)"));
}

TEST(BisectEngine, NamesTheLayerWhereTheEngineRefusesMore) {
  const Output output = run_program({"bisect", kEngineGolden, "--engine", kFaulty + " --layers-only"});

  EXPECT_EQ(output.exit_code, broken) << output.err;
  EXPECT_THAT(output.out, HasSubstr("between which the engine cannot start or stop"));
  EXPECT_THAT(output.out, HasSubstr("  steps/000/text/layers/01/moe (moe_combine)\n"));
  EXPECT_THAT(output.out, ::testing::Not(HasSubstr("  steps/000/text/layers/02/moe (moe_combine)\n")));
}

TEST(BisectEngine, ReproducesOneProbe) {
  const TemporaryFolder scratch;
  const std::string keep = (scratch / "kept").string();
  const auto probe = [&](const std::string& node) {
    return run_program({"bisect", kEngineGolden, "--engine", kFaulty, "--probe", node, "--keep", keep});
  };

  EXPECT_EQ(probe("steps/000/text/layers/01/moe").exit_code, broken);
  EXPECT_EQ(probe("steps/000/text/layers/02/input_norm").exit_code, holds);
  EXPECT_EQ(probe("steps/000/text/layers/02/input_nrm").exit_code, usage);
  EXPECT_EQ(std::distance(fs::directory_iterator(keep), fs::directory_iterator{}), 4);
}

TEST(BisectEngine, OfARightEngineIsGreenAndOfNoneIsAMistake) {
  const Output right =
      run_program({"bisect", kEngineGolden, "--engine", quoted(PARITY_PROGRAM) + " engine " + kEngineGolden});
  EXPECT_EQ(right.exit_code, holds) << right.err;
  EXPECT_THAT(right.out, HasSubstr("the compared output is right"));
  EXPECT_EQ(run_program({"bisect", kEngineGolden}).exit_code, usage);
}

/// An engine that fails is a faulty candidate (exit code 1), not a damaged golden (exit code 3).
TEST(BisectEngine, ThatFailsIsBrokenAndThatIsNoneIsAMistake) {
  const auto with = [&](const std::string& engine) {
    return run_program({"bisect", kEngineGolden, "--engine", engine});
  };
  const Output crashed = with("kill -SEGV $$ #"), failed = with("exit 9 #"), silent = with("true"),
               absent = with("/nowhere/engine"), torn = with("sh -c 'echo torn > \"$2\"' engine");

  EXPECT_EQ(crashed.exit_code, broken) << crashed.err;
  EXPECT_THAT(crashed.err, HasSubstr("killed by signal 11"));
  EXPECT_EQ(failed.exit_code, broken) << failed.err;
  EXPECT_EQ(silent.exit_code, broken) << silent.err;
  EXPECT_EQ(torn.exit_code, broken) << torn.err;
  EXPECT_THAT(torn.err, HasSubstr("engine's "));
  EXPECT_EQ(absent.exit_code, usage) << absent.err;
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reports of models that are divided among ranks name the rank or the link.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

const std::string kDivided = (kData / "m3-ranks-f32").string();

TEST(Ranks, EveryReportNamesTheWrongRank) {
  const TemporaryFolder scratch;
  const std::string file = (scratch / "report.json").string();
  const Output run =
      run_program({"run", kDivided, "--tp", "2", "--candidate", "fault:rank-o_proj-of-next@1-0", "--mode", "isolated",
                   "--select", "*layers/00/attention/o_proj*", "--no-explain", "--quiet", "--json", file});

  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("  ranks   rank 1 is wrong, rank 0 is right\n"));
  for (const char* format : {"terminal", "markdown", "junit"}) {
    const Output report = run_program({"report", format, file});
    EXPECT_THAT(report.out, HasSubstr("rank 1 is wrong, rank 0 is right")) << format;
  }
  EXPECT_EQ(run_program({"report", "check", file}).exit_code, 0);
}

TEST(Ranks, ARecordingOfRanksIsComparedWithOneOfAnotherLayout) {
  const std::string ranks = "golden/ranks/m3-ranks-f32/tp-8.h5";

  const Output other = run_program({"diff", ranks, kDivided, "--rtol", "1e-4"});
  const Output same = run_program({"diff", ranks, ranks});

  EXPECT_EQ(other.exit_code, 0) << other.out << other.err;
  EXPECT_THAT(other.out, HasSubstr("assembled from tp 8"));
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_THAT(same.out, ::testing::Not(HasSubstr("put together")));
}

}  // namespace
}  // namespace parity::cli

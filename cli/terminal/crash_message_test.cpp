// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A kernel that crashes the process is named on stderr.
#include "cli/terminal/crash_message.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

TEST(LastWordsDeathTest, NameWhatWasRunning) {
  EXPECT_EXIT((leave_last_words("rms_norm cpu:bf16, seed 3"), std::abort()), ::testing::KilledBySignal(SIGABRT),
              "parity: crashed in rms_norm cpu:bf16, seed 3");
  EXPECT_EXIT((leave_last_words("rms_norm cpu:bf16, seed 3"), std::raise(SIGSEGV)), ::testing::KilledBySignal(SIGSEGV),
              "crashed in rms_norm");
}

TEST(Guards, RunOnlyTheComponentsThatWereAskedFor) {
  const tests::Output output = tests::run_program({"selftest", "--guards", "--components", "silu"});

  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, ::testing::HasSubstr("silu"));
  EXPECT_THAT(output.out, ::testing::Not(::testing::HasSubstr("gelu")));
}

TEST(Show, KnowsFusionsAndTheirParts) {
  const tests::Output output = tests::run_program({"show", "add_norm"});

  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, ::testing::HasSubstr("fusion of residual_add > rms_norm"));
  EXPECT_THAT(output.out, ::testing::HasSubstr("--candidate cpu:fused"));
}

}  // namespace
}  // namespace parity::cli

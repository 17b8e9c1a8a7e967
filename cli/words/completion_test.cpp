// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Completion and manual page list what the parser declares, and shells and troff can read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace tests;

std::vector<std::string> after(const std::string& line) { return lines(run_program({"complete", line}).out); }

TEST(Completion, OffersCommandsAndTheirParts) {
  EXPECT_THAT(after("parity re"), ElementsAre("relations", "report", "repro"));
  EXPECT_THAT(after("parity golden "), ElementsAre("info", "ls", "names", "synthesize", "values", "verify"));
  EXPECT_THAT(after("parity "), Not(Contains("complete"))) << "hidden";
}

TEST(Completion, OffersOptions) {
  EXPECT_THAT(after("parity run --can"), ElementsAre("--candidate"));
  EXPECT_THAT(after("parity bench --c"), Not(Contains("--counted"))) << "hidden";
}

TEST(Completion, OffersValuesThatTheOptionNames) {
  EXPECT_THAT(after("parity run x --mode "), ElementsAre("chained", "forced", "isolated"));
  EXPECT_THAT(after("parity run x --mode=f"), ElementsAre("--mode=forced"));
  EXPECT_THAT(after("parity run x --candidate c"), ::testing::IsSupersetOf({"cpu", "cpu:fused", "capture:"}));
  EXPECT_THAT(after("parity run x --candidate fault:rms_norm-without-o"), ElementsAre("fault:rms_norm-without-one"));
  EXPECT_THAT(after("parity selftest --faults rms_norm-without-o"), ElementsAre("rms_norm-without-one"));
  EXPECT_THAT(after("parity selftest --guards --components rms_norm attention_d"), ElementsAre("attention_dense"));
}

TEST(Completion, OffersGoldensFaultsAndComponents) {
  EXPECT_THAT(after("parity run golden/data/m3-text-only-a"), ElementsAre(kGolden));
  EXPECT_THAT(after("parity run --quiet golden/data/m3-text-only-a"), ElementsAre(kGolden));
  EXPECT_THAT(after("parity show rms_norm-without-o"), ElementsAre("rms_norm-without-one"));
  EXPECT_THAT(after("parity battery paged_"), ElementsAre("paged_view")) << "no fault is a component";
}

TEST(Completion, OffersNothingWhereNothingIsKnown) {
  EXPECT_EQ(run_program({"complete", "parity run x --json "}).out, "") << "the shell offers files";
  EXPECT_EQ(run_program({"complete", ""}).out, "");
}

/// Returns the words that bash offers for `line`, with the word boundaries of readline.
std::string in_bash(const std::string& line, const std::string& before = "") {
  const TemporaryFolder scratch;
  write(scratch / "script", run_program({"completion", "bash"}).out + "COMP_LINE=" + quoted(line) +
                                " COMP_POINT=${#COMP_LINE} COMP_WORDS=(" + quoted(PARITY_PROGRAM) +
                                ")\n_parity 2>&1\nprintf '%s\\n' \"${COMPREPLY[@]}\" >" +
                                quoted((scratch / "shown").string()) + "\n");
  const std::string command = before + " bash " + quoted((scratch / "script").string());
  EXPECT_EQ(std::system(command.c_str()), 0) << line;
  return content(scratch / "shown");
}

TEST(Completion, WorksInBash) {
  EXPECT_EQ(in_bash("parity repr"), "repro\n");
  EXPECT_EQ(in_bash("parity run x --mode i"), "isolated\n");
  EXPECT_EQ(in_bash("parity run x --candidate fault:rms_norm-without-o"), "rms_norm-without-one\n")
      << "bash has split the word at the colon";
}

TEST(Completion, KnowsThreeShells) {
  EXPECT_THAT(run_program({"completion", "zsh"}).out, ::testing::StartsWith("#compdef parity\n"));
  EXPECT_THAT(run_program({"completion", "fish"}).out, HasSubstr("complete -c parity"));
  const Output unknown = run_program({"completion", "tcsh"});
  EXPECT_EQ(unknown.exit_code, usage);
  EXPECT_THAT(unknown.err, HasSubstr("use bash, zsh or fish"));
}

TEST(Manual, NamesEveryCommandAndOption) {
  const std::string page = run_program({"man"}).out;

  for (const std::string& command : after("parity ")) {
    EXPECT_THAT(page, HasSubstr(".SS parity " + command));
    for (const std::string& option : after("parity " + command + " --")) {
      if (option == "--help") continue;
      std::string escaped;
      for (const char c : option) escaped += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_THAT(page, HasSubstr(escaped)) << command;
    }
  }
}

TEST(Manual, IsReadByTroffWithoutAWarning) {
  const TemporaryFolder scratch;
  write(scratch / "parity.1", run_program({"man"}).out);
  const std::string said = (scratch / "said").string();
  const std::string command =
      "groff -man -ww -Tutf8 " + quoted((scratch / "parity.1").string()) + " >" + quoted((scratch / "shown").string());

  ASSERT_EQ(std::system((command + " 2>" + quoted(said)).c_str()), 0)
      << content(said) << "; apt-get install groff-base";

  EXPECT_EQ(content(said), "");
  EXPECT_THAT(content(scratch / "shown"), HasSubstr("rms_norm-without-one"));
}

}  // namespace
}  // namespace parity::cli

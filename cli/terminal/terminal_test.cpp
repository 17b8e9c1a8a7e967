// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// On a terminal verdicts are coloured, and a line of progress is shown and removed at the end.
#include <cstdlib>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace tests;

bool hands_out_terminals() {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  const bool usable = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0;
  if (terminal >= 0) close(terminal);
  return usable;
}

/// Returns what a shell command wrote to a pseudo-terminal, whose path is in $TERMINAL.
std::string on_a_terminal(const std::string& shell) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  const int keep_open = open(ptsname(terminal), O_RDWR | O_NOCTTY);  // keeps the terminal open until the command writes
  const std::string command = std::string("TERMINAL=") + ptsname(terminal) + "; " + shell + "; echo done";
  std::FILE* pipe = popen(command.c_str(), "r");
  char word[8];
  EXPECT_NE(std::fgets(word, sizeof word, pipe), nullptr);  // the few lines fit into the terminal's buffer
  pclose(pipe);
  close(keep_open);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  close(terminal);
  return text;
}

std::string coloured_run(const std::string& variables) {
  return on_a_terminal(variables + " " + quoted(PARITY_PROGRAM) + " run " + kGolden + " --quiet >$TERMINAL");
}

TEST(Colour, IsForTerminalsWithoutNoColor) {
  if (!hands_out_terminals()) GTEST_SKIP() << "this system hands out no pseudo-terminals";
  EXPECT_THAT(coloured_run("env -u NO_COLOR"), HasSubstr("\033[1;32m"));
  EXPECT_THAT(coloured_run("NO_COLOR="), HasSubstr("\033[1;32m")) << "an empty value does not count (no-color.org)";
  EXPECT_THAT(coloured_run("NO_COLOR=1"), ::testing::AllOf(HasSubstr("parity holds"), Not(HasSubstr("\033["))));
  EXPECT_THAT(run_program({"run", kGolden}, "env -u NO_COLOR").out, Not(HasSubstr("\033[")));
}

/// A command that runs longer than the second after which progress is drawn.
const std::string kSlow =
    quoted(PARITY_PROGRAM) + " selftest golden/data/m3-text-bf16 golden/data/m3-text-f32 --faults '*norm*' ";

TEST(Progress, IsALineThatIsGoneAtTheEnd) {
  if (!hands_out_terminals()) GTEST_SKIP() << "this system hands out no pseudo-terminals";
  const std::string text = on_a_terminal("COLUMNS=80 " + kSlow + " >/dev/null 2>$TERMINAL");

  EXPECT_THAT(text, HasSubstr("\r\033[Kfaults ["));
  EXPECT_THAT(text, ::testing::EndsWith("\r\033[K")) << "nothing is left of it";
}

TEST(Progress, IsNotShownWhereNobodyLooks) {
  if (!hands_out_terminals()) GTEST_SKIP() << "this system hands out no pseudo-terminals";
  EXPECT_EQ(on_a_terminal(kSlow + "--quiet >/dev/null 2>$TERMINAL"), "");
}

TEST(Progress, CanBeTurnedOffInEveryLongCommand) {
  for (const char* command : {"run", "selftest", "explain", "relations", "bisect", "battery", "bench", "generate"})
    EXPECT_THAT(run_program({command, "--help"}).out, HasSubstr("--quiet")) << command;
}

}  // namespace
}  // namespace parity::cli

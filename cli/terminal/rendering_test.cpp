// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The report that the program prints fits the width of the terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace tests;

const std::vector<std::string> kFailing{"run", "golden/data/m3-text-bf16", "--candidate",
                                        "fault:partial_rope-interleaved"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Rendering, FailingRunAnswersFirst) {
  const std::vector<std::string> said = lines(run_program(kFailing, "env -u COLUMNS").out);

  ASSERT_GT(said.size(), 8U);
  EXPECT_EQ(said[0], "BROKEN  m3-text-bf16, candidate fault:partial_rope-interleaved");
  EXPECT_EQ(said[1], "  first   steps/000/text/layers/00/attention/q_rope/out (partial_rope)");
  EXPECT_THAT(said[2], HasSubstr("x the limit, "));
  EXPECT_THAT(said[3], StartsWith("          worst at sequence 0, head 0, token 11, channel 2: exact "));
  EXPECT_THAT(said.back(), StartsWith("PARITY BROKEN: first divergence steps/000/text/layers/00/attention/q_rope/out"));
}

TEST(Rendering, FailingRunGivesCauseReproAndWhatFollows) {
  const std::string said = run_program(kFailing, "COLUMNS=240").out;

  EXPECT_THAT(
      said,
      HasSubstr(
          "\n  cause   fault partial_rope-interleaved: rotates neighbouring channels instead of the two halves;"));
  EXPECT_THAT(said, HasSubstr("\n  repro   parity repro 'golden/data/m3-text-bf16#steps/000/text/layers/00/attention/"
                              "q_rope/out' --candidate 'fault:partial_rope-interleaved'\n"));
  EXPECT_THAT(said, HasSubstr(" more taps only wrong because of wrong inputs: "));
}

TEST(Rendering, FitsTheWidthWithEveryDetail) {
  for (const char* width : {"80", "100"}) {
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"-v", "--taps", "--bit-equal"}}) {
      const Output output = run_program(with(kFailing, more), std::string("COLUMNS=") + width);
      for (const std::string& line : lines(output.out)) {
        const size_t quoted = line.find("  '"), end = line.find("' \\");  // words of a printed command are not broken
        const bool one_word = quoted == 0 && end == line.size() - 3 && line.find(' ', 2) == end + 1;
        EXPECT_TRUE(one_word || reports::columns(line) <= std::stoul(width)) << line;
      }
    }
  }
}

TEST(Rendering, NarrowTapTableKeepsWhatMatters) {
  const std::vector<std::string> said = lines(run_program(with(kFailing, {"--taps"}), "COLUMNS=80").out);
  const auto head = std::find_if(said.begin(), said.end(), [](const auto& line) { return line.starts_with("status"); });

  ASSERT_NE(head, said.end());
  for (const char* column : {"tap", "mode", "failed", "of the limit"}) EXPECT_THAT(*head, HasSubstr(column));
  EXPECT_THAT(*head, Not(HasSubstr("golden"))) << "there is one";
}

TEST(Rendering, NumbersAreReadable) {
  const std::string said = run_program(with(kFailing, {"-v", "--taps"})).out;

  for (const char* never : {"∞", "Infinity ulp", "e+04%", "[b=0", "ad="}) EXPECT_THAT(said, Not(HasSubstr(never)));
}

TEST(Rendering, GreenRunIsALineAGolden) {
  const std::vector<std::string> said = lines(run_program({"run", kGolden, "golden/data/m3-text-only-items"}).out);

  ASSERT_EQ(said.size(), 3U);
  EXPECT_THAT(said[0], StartsWith("holds  m3-text-only-aux  "));
  EXPECT_THAT(said[1], StartsWith("holds  m3-text-only-items  "));
  EXPECT_THAT(said[2], StartsWith("parity holds: 2 goldens, "));
}

TEST(Rendering, VerboseGreenRunHasTheTable) {
  const std::string said = run_program({"run", kGolden, "-v"}).out;

  EXPECT_THAT(said, HasSubstr("\n  component "));
  EXPECT_THAT(said, ::testing::ContainsRegex("\n  rotary_tables +isolated +"));
  EXPECT_THAT(lines(said).back(), StartsWith("parity holds: 1 golden, "));
}

}  // namespace
}  // namespace parity::cli

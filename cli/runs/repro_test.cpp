// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The repro command that a failing line prints fails for the same tap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

/// Returns the arguments of the first repro command in the output, which must hold no spaces.
std::vector<std::string> advised(const std::string& out) {
  const std::string mark = "repro   parity ";
  for (const std::string& line : lines(out)) {
    const size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    std::vector<std::string> arguments;
    std::istringstream words(line.substr(at + mark.size()));
    for (std::string word; words >> word;) {
      std::erase(word, '\'');
      arguments.push_back(word);
    }
    return arguments;
  }
  return {};
}

void expect_reproduced(std::vector<std::string> run, const std::string& mentioned) {
  run.emplace_back("--no-explain");
  const Output first = run_program(run, "COLUMNS=240");  // a wide terminal keeps the command in one line
  ASSERT_EQ(first.exit_code, 1) << first.out << first.err;
  const auto command = advised(first.out);

  ASSERT_FALSE(command.empty()) << first.out;
  EXPECT_THAT(command, ::testing::Contains(mentioned));
  const Output again = run_program(command);
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("BROKEN"));
}

TEST(Repro, JudgesTheSameCaptureAgain) {
  const TemporaryFolder scratch;
  const std::string tap = "steps/000/text/layers/01/out";
  const auto file = golden::ActivationFile::open(kGolden + "/activations.h5");
  Changes changes;
  changes.values[tap] = with_element(file.read(tap), 5, 17.0);
  const std::string capture = (scratch / "capture.h5").string();
  (void)replay::tests::Copy(file, capture, changes);

  expect_reproduced({"run", kGolden, "--quiet", "--candidate", "capture:" + capture}, "capture:" + capture);
}

TEST(Repro, JudgesUnderTheSameProfileAgain) {
  expect_reproduced({"run", (kData / "m3-text-f32").string(), "--quiet", "--profile", "hf-5.13.0"}, "hf-5.13.0");
}

TEST(Repro, JudgesInTheSameModeAgain) {
  const TemporaryFolder scratch;
  const std::string tap = "steps/000/text/layers/01/out";
  Changes changes;
  changes.values[tap] = with_element(golden::ActivationFile::open(kGolden + "/activations.h5").read(tap), 5, 17.0);
  const auto copy = copy_golden(kGolden, scratch / "copy", changes);

  expect_reproduced({"run", copy.string(), "--quiet", "--mode", "chained"}, "chained");
}

TEST(Repro, OfATapThatDoesNotExistNamesTheNearest) {
  const Output output = run_program({"repro", kGolden + "#steps/000/text/final_nrm/out"});

  EXPECT_EQ(output.exit_code, 2);
  EXPECT_THAT(output.err, HasSubstr("did you mean 'steps/000/text/final_norm/out'"));
}

}  // namespace
}  // namespace parity::cli

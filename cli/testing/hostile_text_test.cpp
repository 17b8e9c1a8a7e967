// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names and attributes with hostile text: a printed command runs as shown when it is pasted, and no control sequence
// reaches the terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace tests;

constexpr const char* kTap = "steps/000/text/lm_head/out";

/// Copies the golden with one wrong element to a folder with a hostile name.
std::string wrong_golden(const fs::path& folder, const std::map<std::string, std::string>& attributes = {}) {
  const auto file = golden::ActivationFile::open(kGolden + "/activations.h5");
  Changes changes;
  changes.values[kTap] = with_element(file.read(kTap), 3, 17.0);
  changes.attributes = attributes;
  return copy_golden(kGolden, folder, changes).string();
}

TEST(HostileText, OfAFolderIsNoCommand) {
  const TemporaryFolder scratch;
  const std::string mark = (scratch / "X").string();
  for (const std::string& name :
       {std::string("g';touch X;'"), std::string("$(touch X)`touch X`"), std::string("a\x1b b")}) {
    const std::string golden = wrong_golden(scratch / name), report = (scratch / "report.json").string();
    const Output output =
        run_program({"run", golden, "--mode", "isolated", "--no-explain", "--json", report, "--quiet"});
    ASSERT_EQ(output.exit_code, broken) << output.err;
    const auto document = nlohmann::json::parse(content(report));
    for (const std::string& line :
         {document["command"].get<std::string>(), document["goldens"][0]["records"][0]["repro"].get<std::string>()}) {
      const std::string pasted = quoted(PARITY_PROGRAM) + line.substr(line.find(' ')) + " >/dev/null 2>&1";
      const std::string command = "cd " + quoted(scratch.path().string()) + " && ln -sfn " +
                                  quoted(fs::absolute("golden").string()) + " golden; bash -c " + quoted(pasted);
      const int status = std::system(command.c_str());
      EXPECT_LE(WEXITSTATUS(status), broken) << line;
      EXPECT_FALSE(fs::exists(mark)) << line;
    }
  }
}

TEST(HostileText, ReachesNoTerminal) {
  const TemporaryFolder scratch;
  const std::string clear = "\x1b[2J",
                    eight_bit =
                        "\xc2\x9b"
                        "2J",
                    bell = "\x07";
  const std::string golden =
      wrong_golden(scratch / ("g" + clear + eight_bit),
                   {{"oracle", "o" + clear + eight_bit + bell}, {"torch", "t\n" + clear}, {"profile", "hf-5.12.0"}});
  const std::string policy = (scratch / "parity.toml").string();
  write(policy, "[battery]\ncomponents = [\"silu\"]\ncases = 1\n");
  const std::string absent = (scratch / ("absent" + clear + eight_bit)).string();
  const std::vector<std::vector<std::string>> commands{
      {"run", golden},
      {"run", golden, "--no-explain", "--taps", "--bit-equal"},
      {"golden", "info", golden},
      {"golden", "verify", golden},
      {"golden", "ls", golden},
      {"golden", "names", golden},
      {"list", "goldens", scratch.path().string()},
      {"list", "coverage", scratch.path().string()},
      {"show", kTap, "--golden", golden},
      {"show", golden},
      {"diff", golden, kGolden},
      {"explain", golden + "#" + kTap},
      {"capture", "init", kGolden, (scratch / ("c" + clear + eight_bit + ".h5")).string()},
      {"run", golden, "--json", "-"},
      {"run", golden, "--sarif", "-"},
      {"run", golden, "--html", "-"},
      {"diff", golden, kGolden, "--json", "-"},
      {"gate", "--policy", policy, "--quiet", "--out-folder", (scratch / ("o" + clear + eight_bit)).string()},
      {"golden", "synthesize", (scratch / ("s" + clear)).string(), "--tokens", "8"},
      {"run", absent},
      {"golden", "verify", absent},
      {"report", "check", absent},
      {"run", kGolden, "--mode", clear},
      {"ru" + clear},
      {"run", kGolden, "--js" + clear},
      {"show", clear},
  };
  for (const auto& command : commands) {
    const Output output = run_program(command);
    for (const std::string& text : {output.out, output.err}) {
      EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << ::testing::PrintToString(command);
      EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b"))) << ::testing::PrintToString(command);
      EXPECT_THAT(text, Not(HasSubstr("\x07"))) << ::testing::PrintToString(command);
    }
  }
}

}  // namespace
}  // namespace parity::cli

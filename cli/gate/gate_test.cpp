// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity gate`: its parts, its budget, what it writes, and how it refuses a policy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace tests;

class Gate : public ::testing::Test {
 protected:
  Output run_policy(const std::string& policy) {
    write((scratch_ / "parity.toml").string(), policy);
    return run_program({"gate", "--policy", (scratch_ / "parity.toml").string(), "--out-folder", out(), "--quiet"});
  }
  [[nodiscard]] std::string out(const std::string& file = "") const { return (scratch_ / "out" / file).string(); }
  [[nodiscard]] static std::string run_of(const std::string& more) {
    return "[run]\ngoldens = [\"golden/data/m3-text-bf16\"]\nmode = \"isolated\"\nselect = \"*/attention/q_*\"\n" +
           more;
  }

 private:
  TemporaryFolder scratch_;
};

TEST_F(Gate, HoldsIfAllPartsHoldAndWritesWhatHostsShow) {
  const Output output =
      run_policy(run_of("candidate = \"reference\"\n[battery]\ncomponents = [\"silu\"]\ncases = 2\n"));

  EXPECT_EQ(output.exit_code, holds) << output.out << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("holds    run"), HasSubstr("holds    battery")));
  EXPECT_THAT(content(out("summary.md")), AllOf(HasSubstr("parity holds"), HasSubstr("| battery | holds |")));
  EXPECT_THAT(content(out("report.html")), HasSubstr("\"kind\":\"battery\""));
  EXPECT_THAT(content(out("junit.xml")), HasSubstr("<testsuites"));
  EXPECT_EQ(run_program({"report", "check", out("run.json")}).exit_code, holds);
}

TEST_F(Gate, IsBrokenByOnePart) {
  const Output output =
      run_policy(run_of("candidate = \"fault:linear-every-16th-column\"\n[battery]\n"
                        "components = [\"silu\"]\ncases = 2\n[sources]\nlinear = \"a/linear.cu\"\n"));

  EXPECT_EQ(output.exit_code, broken);
  EXPECT_THAT(output.out, AllOf(HasSubstr("BROKEN   run"), HasSubstr("holds    battery")));
  const auto log = nlohmann::json::parse(content(out("report.sarif")));
  ASSERT_FALSE(log["runs"][0]["results"].empty());
  EXPECT_THAT(log.dump(), HasSubstr("\"uri\":\"a/linear.cu\""));
}

TEST_F(Gate, GoesOnAfterAPartThatCannotRun) {
  const Output output = run_policy("[run]\ngoldens = [\"/nowhere\"]\n[battery]\ncomponents = [\"silu\"]\ncases = 2\n");

  EXPECT_EQ(output.exit_code, golden_damaged);
  EXPECT_THAT(output.out, AllOf(HasSubstr("ERROR    run"), HasSubstr("holds    battery")));
}

TEST_F(Gate, HoldsTapsToABudgetBelowTheirLimit) {
  const std::string run = run_of("candidate = \"reference\"\n");

  const Output tight = run_policy(run + "[budget]\nlinear = 0.01\n");
  const Output wide = run_policy(run + "[budget]\nlinear = 1.0\n\"silu*\" = 0.01\n");

  EXPECT_EQ(tight.exit_code, broken);
  EXPECT_THAT(tight.out, AllOf(HasSubstr("over budget: the error of linear is"), HasSubstr("the policy allows 1%")));
  EXPECT_EQ(wide.exit_code, holds) << wide.out;
}

TEST_F(Gate, OverwritesNoInput) {
  fs::create_directory(out());
  const std::string text = run_of("");
  write(out("summary.md"), text);

  const Output output = run_program({"gate", "--policy", out("summary.md"), "--out-folder", out(), "--quiet"});

  EXPECT_EQ(output.exit_code, usage);
  EXPECT_THAT(output.err, HasSubstr("parity gate would overwrite its input"));
  EXPECT_EQ(content(out("summary.md")), text);
  write(out("run.json"), "{}");
  EXPECT_EQ(run_policy(run_of("manifest = \"" + out("run.json") + "\"\n")).exit_code, usage);
  EXPECT_EQ(content(out("run.json")), "{}") << "an earlier result is removed, but not one that is read";
}

TEST_F(Gate, NamesTheLineOfAMistake) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"[run]\ngoldens = [\"a\"]\ncandidat = \"cpu\"\n",
       ":3: table [run] cannot have the key 'candidat' (did you mean 'candidate'?)"},
      {"[rum]\n", ":1: a policy has no table [rum] (did you mean 'run'?)"},
      {"[run]\ngoldens = \"a\"\n", ":2: run.goldens is not a list of strings"},
      {"[run]\ngoldens = [\"a\"]\ntp = \"two\"\n", ":3: run.tp is not a whole number"},
      {"[run\n", ":1: "},
      {"[run]\ngoldens = [\"a\"]\n[budget]\nlinear = 3\n", ":4: budget.linear is not a number above 0 and up to 1"}};
  for (const auto& [policy, message] : mistakes) {
    const Output output = run_policy(policy);
    EXPECT_EQ(output.exit_code, golden_damaged) << policy;
    EXPECT_THAT(output.err, HasSubstr("parity.toml" + message)) << policy;
  }
}

TEST_F(Gate, RefusesAPolicyWithNothingToRun) {
  const Output output = run_policy("[sources]\nlinear = \"a.cu\"\n");

  EXPECT_EQ(output.exit_code, usage);
  EXPECT_THAT(output.err, HasSubstr("lists nothing to run; add a table [run]"));
}

TEST_F(Gate, ListsItsCommandsWithoutRunningThem) {
  const Output output = run_program({"gate", "--policy", "examples/ci/parity.toml", "--list", "--out-folder", out()});

  EXPECT_EQ(output.exit_code, holds);
  EXPECT_THAT(output.out, HasSubstr("parity run --candidate cpu golden/data/m3-text-bf16"));
  EXPECT_THAT(content(out("summary.md")), Not(HasSubstr("parity")));
}

}  // namespace
}  // namespace parity::cli

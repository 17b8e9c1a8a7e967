// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity report check` accepts the --json document of every command other than `run`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using namespace tests;
using nlohmann::json;

TEST(Documents, AreOfOneFamily) {
  const TemporaryFolder scratch;
  const std::string file = (scratch / "study.json").string();
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands{
      {"battery", {"battery", "rms_norm", "--cases", "4"}},
      {"guards", {"selftest", "--guards", "--components", "silu"}},
      {"selftest", {"selftest", kGolden, "--faults", "rms_norm-without-one"}},
      {"value_corruptions", {"selftest", "--value-corruptions", "1"}},
      {"corruptions", {"selftest", "--corruptions", "1"}},
      {"false_alarms", {"selftest", "--false-alarms", "20"}},
      {"components", {"list", "components"}},
      {"tap", {"show", kGolden + "#steps/000/text/final_norm/out"}},
      {"diff", {"diff", kGolden, kGolden}},
      {"diff", {"diff", "golden/data/m3-items", "golden/data/m3-even-f32"}}};
  for (auto [kind, arguments] : commands) {
    arguments.insert(arguments.end(), {"--json", file});
    const Output output = run_program(arguments);
    const json document = json::parse(content(file), nullptr, false);

    ASSERT_TRUE(document.is_object()) << kind << output.err;
    EXPECT_EQ(document["kind"], kind);
    EXPECT_EQ(document["verdict"], output.exit_code == holds ? "pass" : "fail") << kind << output.out;
    EXPECT_THAT(document["command"].get<std::string>(), ::testing::HasSubstr(" " + arguments.front() + " "));
    const Output checked = run_program({"report", "check", file});
    EXPECT_EQ(checked.exit_code, holds) << kind << checked.out;
  }
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What ranks send each other in a run is counted, and is what the collectives of the plan ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;
using nlohmann::json;

class Links : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Links, SendWhatTheirFormulasSay) {
  std::vector<std::string> arguments{"run", "--candidate", "cpu", "--quiet", "--no-explain", "-v", "--json", "-"};
  arguments.insert(arguments.end(), GetParam().begin(), GetParam().end());

  const Output output = run_program(arguments);

  const json golden = json::parse(output.out)["goldens"][0];
  ASSERT_GE(golden["links"].size(), 4U) << output.err;
  int64_t bytes = 0;
  for (const json& link : golden["links"]) {
    EXPECT_EQ(link["bytes"], link["expected"]) << link;
    bytes += link["bytes"].get<int64_t>();
  }
  EXPECT_GT(bytes, 1000);
  EXPECT_THAT(golden["notes"].dump(), HasSubstr("every rank sent the expected number of bytes in every layer"));
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, Links,
    ::testing::Values(
        std::vector<std::string>{"golden/data/m3-text-bf16", "--tp", "2"},
        std::vector<std::string>{"golden/data/m3-text-bf16", "--tp", "2", "--rules", "vllm"},
        std::vector<std::string>{"golden/data/m3-ranks-f32", "--ep", "4"},
        std::vector<std::string>{"golden/data/m3-text-f32", "--cp", "2"},
        std::vector<std::string>{"golden/data/m3-ranks-bf16", "--tp", "8", "--ep", "8"},
        std::vector<std::string>{"golden/data/text01-f32", "--tp", "2", "--dp", "2"},
        std::vector<std::string>{"golden/data/m2-text-bf16", "--tp", "2"},
        std::vector<std::string>{"golden/data/m3-ranks-bf16", "--dp", "2", "--ep", "2", "--dispatch", "all-to-all"},
        std::vector<std::string>{"golden/data/m2-ranks-f32", "--tp", "2", "--dp", "2", "--ep", "4", "--dispatch",
                                 "all-to-all"},
        std::vector<std::string>{"golden/data/text01-f32", "--dp", "2", "--ep", "2", "--dispatch", "all-gather"}));

TEST(LinksOfARun, OneRankHasNone) {
  const Output output = run_program({"run", kGolden, "--candidate", "cpu", "--quiet", "--no-explain", "--json", "-"});

  EXPECT_FALSE(json::parse(output.out)["goldens"][0].contains("links"));
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/goldens/generation.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/testing/refusal.hpp"
#include "golden/files/strict_json.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::compare {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path kGenerations = "golden/generation";

/// Returns the description of a recorded generation with an absolute checkpoint path.
nlohmann::json recorded(const std::string& name) {
  nlohmann::json json = golden::read_json(kGenerations / (name + ".json"));
  json["checkpoint"] = fs::absolute(kGenerations / json["checkpoint"].get<std::string>()).string();
  return json;
}

fs::path written(const golden::TemporaryFolder& folder, const nlohmann::json& json) {
  std::ofstream(folder / "generation.json") << json;
  return folder / "generation.json";
}

TEST(Generation, EqualsThePackagesTokenByToken) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kGenerations)) {
    if (entry.path().extension() != ".json") continue;
    const GenerationReport report = run_generation(entry.path());

    EXPECT_TRUE(report.wrong.empty()) << entry.path();
    EXPECT_GE(report.recorded, 64) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 7);
}

TEST(Generation, NamesTheFirstTokenThatIsNotTheRecordedOne) {
  const golden::TemporaryFolder folder;
  auto json = recorded("m2-text-f32");
  const auto right = json["tokens"][1][9].get<int64_t>();
  json["tokens"][1][9] = right + 1;

  const GenerationReport report = run_generation(written(folder, json));

  ASSERT_EQ(report.wrong.size(), 1);
  EXPECT_EQ(report.wrong[0].sequence, 1);
  EXPECT_EQ(report.wrong[0].token, 9);
  EXPECT_EQ(report.wrong[0].recorded, right + 1);
  EXPECT_EQ(report.wrong[0].generated, right);
}

TEST(Generation, UnderAnotherReleasesSemanticsGoesAnotherWay) {
  const golden::TemporaryFolder folder;
  auto json = recorded("m3-text-f32");
  json["profile"] = "hf-5.13.0";

  EXPECT_FALSE(run_generation(written(folder, json)).wrong.empty());
}

TEST(Generation, WithoutRecordedTokensOnlyGenerates) {
  const golden::TemporaryFolder folder;
  auto json = recorded("text01-f32");
  const auto tokens = json["tokens"].get<std::vector<std::vector<int64_t>>>();
  json.erase("tokens");
  json["count"] = 3;

  const GenerationReport report = run_generation(written(folder, json));

  EXPECT_EQ(report.recorded, 0);
  EXPECT_EQ(report.tokens[0], std::vector<int64_t>(tokens[0].begin(), tokens[0].begin() + 3));
}

TEST(Generation, NamesTheKeyThatIsWrong) {
  const golden::TemporaryFolder folder;
  const auto refused = [&](const char* key, const nlohmann::json& value) {
    auto json = recorded("m2-text-f32");
    json[key] = value;
    return refusal_of(ErrorCode::schema, [&] { return run_generation(written(folder, json)); });
  };

  EXPECT_THAT(refused("prompt", nlohmann::json::array()), HasSubstr("'prompt' is missing or not a list"));
  EXPECT_THAT(refused("prompt", {{1, 2}, {3}}), HasSubstr("'prompt': sequences of 2 and 1 tokens"));
  EXPECT_THAT(refused("tokens", {{1, "a"}}), HasSubstr("'tokens' holds"));
  EXPECT_THAT(refused("dtype", "f8"), HasSubstr("'dtype' is 'f8'"));
  EXPECT_THAT(refused("count", 0), HasSubstr("'count' is 0"));
}

}  // namespace
}  // namespace parity::compare

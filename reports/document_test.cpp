// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/files/schema_check.hpp"

namespace parity::reports {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> violations_of(const ordered_json& document) {
  return schema_violations(nlohmann::json::parse(document.dump()), study_schema());
}

TEST(Document, FrameComesFirstAndTheBodyFollows) {
  const ordered_json document =
      framed({"guards", "pass", "parity selftest --guards"}, {{"kernels", ordered_json::array()}});
  std::vector<std::string> names;
  for (const auto& [name, value] : document.items()) names.push_back(name);

  EXPECT_THAT(names, ElementsAre("schema_version", "kind", "verdict", "command", "environment", "kernels"));
  EXPECT_THAT(violations_of(document), IsEmpty());
}

TEST(Document, BodyCannotOverwriteTheFrame) {
  EXPECT_EQ(framed({"guards", "pass", ""}, {{"verdict", "fail"}})["verdict"], "pass");
}

TEST(Document, SchemaKnowsItsKindsAndVerdicts) {
  EXPECT_THAT(violations_of(framed({"guard", "pass", ""}, ordered_json::object())),
              ElementsAre(::testing::HasSubstr("/kind")));
  EXPECT_THAT(violations_of(framed({"guards", "good", ""}, ordered_json::object())),
              ElementsAre(::testing::HasSubstr("/verdict")));
}

}  // namespace
}  // namespace parity::reports

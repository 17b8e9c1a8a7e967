// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/files/schema_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "reports/json/json.hpp"
#include "reports/testing/sample_report.hpp"

namespace parity::reports {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <class Change>
std::vector<std::string> violations_after(const Change& change) {
  json document = to_json(tests::sample_report());
  change(document);
  return schema_violations(document, report_schema());
}

TEST(SchemaCheck, AcceptsWhatWeWrite) {
  EXPECT_THAT(schema_violations(to_json(tests::sample_report()), report_schema()), IsEmpty());
  EXPECT_THAT(schema_violations(to_json(tests::green_report()), report_schema()), IsEmpty());
  EXPECT_THAT(schema_violations(to_json(compare::RunReport{}), report_schema()), IsEmpty());
}

TEST(SchemaCheck, AcceptsEveryEnumeratorAndNoOtherName) {
  const auto expect_all = [](const json& names, auto last) {
    size_t count = 0;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      const std::string name = to_string(static_cast<decltype(last)>(i));
      EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
      ++count;
    }
    EXPECT_EQ(names.size(), count);
  };
  const json& definitions = report_schema()["$defs"];

  expect_all(definitions["status"]["enum"], compare::Status::error);
  expect_all(definitions["record"]["properties"]["mode"]["enum"], compare::Mode::forced);
  expect_all(definitions["record"]["properties"]["dtype"]["enum"], DType::boolean);
}

TEST(SchemaCheck, MissesNoRequiredFieldAnywhere) {
  const json document = to_json(tests::sample_report());
  const std::set<std::string> optional = {"span", "reason", "where",  "explanation", "unknown_taps", "pass",
                                          "fail", "error",  "values", "shard",       "links",        "--candidate"};
  int tried = 0;
  const json leaves = document.flatten();
  for (const auto& [pointer, value] : leaves.items()) {
    // For every leaf, each ancestor object in turn loses the member that leads to the leaf.
    for (json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
      if (!document.at(at.parent_pointer()).is_object() || optional.count(at.back()) != 0) continue;
      json damaged = document;
      damaged.at(at.parent_pointer()).erase(at.back());
      EXPECT_FALSE(schema_violations(damaged, report_schema(), 1).empty()) << at.to_string();
      ++tried;
    }
    if (tried > 400) break;  // all kinds of objects have occurred: records of every form come early
  }
  EXPECT_GT(tried, 100);
}

TEST(SchemaCheck, NamesThePlaceAndTheFault) {
  EXPECT_THAT(violations_after([](json& d) { d["goldens"][0]["taps"].erase("judged"); }),
              ElementsAre("/goldens/0/taps: 'judged' is missing"));
  EXPECT_THAT(violations_after([](json& d) { d["goldens"][0]["extra"] = 1; }),
              ElementsAre("/goldens/0/extra: must be absent"));
  EXPECT_THAT(violations_after([](json& d) { d["exit_code"] = "1"; }),
              ElementsAre("/exit_code: \"1\" is not of type \"integer\""));
  EXPECT_THAT(violations_after([](json& d) { d["exit_code"] = -1; }), ElementsAre("/exit_code: -1 is less than 0"));
  EXPECT_THAT(violations_after([](json& d) { d["counts"]["pass"] = ~uint64_t{0}; }),
              ElementsAre("/counts/pass: 18446744073709551615 is more than 9223372036854775807"));
  EXPECT_THAT(violations_after([](json& d) { d["schema_version"] = "0.9"; }),
              ElementsAre("/schema_version: \"0.9\" is not one of [\"2.0\",\"2.1\",\"2.2\",\"2.3\"]"));
  EXPECT_THAT(violations_after([](json& d) { d["seconds"] = "nan"; }),
              ElementsAre("/seconds: \"nan\" fits none of the 2 forms that are allowed"));
  EXPECT_THAT(violations_after([](json& d) { d["counts"]["pass"] = true; }),
              ElementsAre("/counts/pass: true is not of type \"integer\""));
  EXPECT_THAT(violations_after([](json& d) { d = 3; }), ElementsAre("/: 3 is not of type \"object\""));
}

TEST(SchemaCheck, StopsAtTheLimit) {
  const json document = {{"goldens", 3}};

  EXPECT_EQ(schema_violations(document, report_schema(), 2).size(), 2U);
}

TEST(SchemaCheck, RefusesAKeywordThatItDoesNotCheck) {
  EXPECT_THROW(static_cast<void>(schema_violations("a", {{"pattern", "b"}})), Error);
  EXPECT_THROW(static_cast<void>(schema_violations("a", {{"$ref", "#/$defs/none"}})), Error);
}

}  // namespace
}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/json/json.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "reports/files/schema_check.hpp"
#include "reports/testing/sample_report.hpp"

namespace parity::reports {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::StartsWith;

std::vector<std::string> keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.items()) result.push_back(key);
  return result;
}

TEST(PrintableJson, HoldsNoControlCharacter) {
  const nlohmann::ordered_json document{{"path", "a\x1b[2J\u009b2J\x7f\u00e4"}};

  const std::string text = printable_json(document, -1);

  EXPECT_EQ(text, R"({"path":"a\u001b[2J\u009b2J\u007f)"
                  "\u00e4\"}");
  EXPECT_EQ(json::parse(text), json(document));
}

/// Returns the error message of from_json on the sample report after `change`.
template <class Change>
std::string complaint(const Change& change) {
  json document = to_json(tests::sample_report());
  change(document);
  try {
    static_cast<void>(from_json(document));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::schema);
    const std::string message = error.what();
    return message.substr(0, message.find("; not a complete report.json"));
  }
  return "no error";
}

TEST(Json, HasTheFieldsOfTheDesignInTheirOrder) {
  const nlohmann::ordered_json document = to_json(tests::sample_report());

  EXPECT_THAT(keys(document),
              ElementsAre("schema_version", "class", "verdict", "exit_code", "command", "environment", "shard",
                          "first_divergence", "causes", "counts", "goldens", "benches", "seconds", "peak_rss_bytes"));
  EXPECT_THAT(keys(document["goldens"][0]),
              ElementsAre("path", "name", "sha256", "oracle", "system", "profile", "candidate", "policy", "class",
                          "verdict", "first_divergence", "taps", "unknown_taps", "capture", "links", "notes", "seconds",
                          "largest_span", "records"));
  EXPECT_EQ(document["schema_version"], "2.3");
  EXPECT_EQ(document["first_divergence"]["explanation"], "partial_rotary_factor = 1.0");
  EXPECT_TRUE(document["goldens"][1]["first_divergence"].is_null());
  EXPECT_TRUE(document["benches"].empty());
}

TEST(Json, ComesBackAsItWas) {
  const compare::RunReport report = tests::sample_report();
  const std::string text = json_text(report);

  const compare::RunReport back = from_json(json::parse(text));

  EXPECT_EQ(json_text(back), text);
  EXPECT_EQ(back.goldens[0].records[0].terms.tolerance, 4.5e-3);
  EXPECT_EQ(back.goldens[0].records[2].discrete->violations, 2);
  EXPECT_EQ(back.goldens[0].records[1].picture->map.budget, (std::vector<double>{0.5, 2.0}));
  EXPECT_EQ(back.goldens[0].records[2].discrete->flipped[0].left_out, 3);
  EXPECT_EQ(back.goldens[0].largest_span_bytes, int64_t{3} << 33);
  EXPECT_EQ(back.environment.libraries, report.environment.libraries);  // in their order
}

TEST(Json, NamesTheLayoutAndTheWrongRank) {
  compare::RunReport report = tests::sample_report();
  report.goldens[0].layout = "tp 4, rules vllm";
  report.goldens[0].ranks = compare::RankFinding{"ranks/03/x", {3}, {0, 1, 2}, 2, "link 2 -> 3"};

  const json document = to_json(report);
  const compare::RunReport back = from_json(document);

  EXPECT_THAT(schema_violations(document, report_schema()), ::testing::IsEmpty());
  EXPECT_EQ(document["goldens"][0]["layout"], "tp 4, rules vllm");
  EXPECT_EQ(document["goldens"][0]["ranks"]["sender"], 2);
  EXPECT_THAT(back.goldens[0].ranks->right, ElementsAre(0, 1, 2));
  EXPECT_FALSE(document["goldens"][1].contains("ranks"));
}

TEST(Json, WritesNumbersThatJsonLacksAsStrings) {
  const json record = to_json(tests::sample_report())["goldens"][0]["records"].back();
  EXPECT_EQ(record["budget_used"], "NaN");
  EXPECT_EQ(record["relative_error"], "Infinity");
  EXPECT_EQ(record["worst"]["got"], "-Infinity");

  const compare::Record back = from_json(to_json(tests::sample_report())).goldens[0].records.back();

  EXPECT_TRUE(std::isnan(back.budget_used));
  EXPECT_EQ(back.worst.got, -HUGE_VAL);
}

TEST(Json, KeepsEveryBitOfADouble) {
  compare::RunReport report = tests::green_report();
  for (const double value : {0.1, -0.0, 0x1p-1074, 0x1.fffffffffffffp1023, 3.0}) {
    report.seconds = value;

    const double back = from_json(json::parse(json_text(report))).seconds;

    EXPECT_EQ(back, value);
    EXPECT_EQ(std::signbit(back), std::signbit(value));
  }
}

TEST(Json, SurvivesNamesThatAreNotUtf8) {
  compare::RunReport report = tests::green_report();
  report.goldens[0].name = "a\xFFz";

  EXPECT_EQ(json::parse(json_text(report))["goldens"][0]["name"], "a\xEF\xBF\xBDz");
}

TEST(Json, RefusesAnotherSchemaVersion) {
  EXPECT_EQ(
      complaint([](json& d) { d["schema_version"] = "1.0"; }),
      "schema_version is '1.0', but this version of parity reads '2.3'; read the file with the version that wrote it");
  EXPECT_EQ(complaint([](json& d) { d.erase("schema_version"); }), "/schema_version is missing");
  EXPECT_EQ(complaint([](json& d) { d = json::array(); }), "the document is not an object");
}

TEST(Json, NamesThePlaceThatIsMissingOrWrong) {
  const auto record = [](json& d) -> json& { return d["goldens"][0]["records"][1]; };

  EXPECT_EQ(complaint([&](json& d) { record(d)["worst"].erase("ulp"); }), "/goldens/0/records/1/worst/ulp is missing");
  EXPECT_EQ(complaint([&](json& d) { record(d)["status"] = "fine"; }),
            "/goldens/0/records/1/status: 'fine' is not a valid status");
  EXPECT_EQ(complaint([&](json& d) { record(d)["mode"] = 3; }), "/goldens/0/records/1/mode is not a string");
  EXPECT_EQ(complaint([&](json& d) { record(d)["dtype"] = "f8"; }),
            "/goldens/0/records/1/dtype: 'f8' is not a valid element type");
  EXPECT_EQ(complaint([&](json& d) { record(d)["failed"] = 1.5; }), "/goldens/0/records/1/failed is not an integer");
  EXPECT_EQ(complaint([&](json& d) { record(d)["budget_used"] = "big"; }),
            "/goldens/0/records/1/budget_used is not a number");
  EXPECT_EQ(complaint([&](json& d) { record(d)["shape"] = 3; }), "/goldens/0/records/1/shape is not a list");
  EXPECT_THAT(complaint([](json& d) { d["exit_code"] = int64_t{1} << 40; }),
              StartsWith("/exit_code is not in the range"));
  EXPECT_THAT(complaint([](json& d) { d["peak_rss_bytes"] = ~uint64_t{0}; }),
              StartsWith("/peak_rss_bytes is not in the range"));
}

}  // namespace
}  // namespace parity::reports

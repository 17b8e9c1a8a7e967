// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/catalogue.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/battery.hpp"
#include "core/testing/refusal.hpp"
#include "faults/edits/edit.hpp"
#include "faults/edits/edit_names.hpp"
#include "faults/planted_case.hpp"
#include "faults/studies/matrix.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"

namespace parity::faults {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string& json) {
  try {
    static_cast<void>(parse_faults(json, "mine.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Catalogue, HasAHundredFaultsAndFiftyThatShipped) {
  const auto& faults = catalogue();
  const auto shipped = std::count_if(faults.begin(), faults.end(), [](const Fault& f) { return !f.seen.empty(); });
  const auto equal = std::count_if(faults.begin(), faults.end(), [](const Fault& f) { return !f.equivalent.empty(); });

  EXPECT_GE(faults.size(), 100U);
  EXPECT_GE(shipped, 50);
  EXPECT_LE(20 * equal, static_cast<int64_t>(faults.size()));
}

/// Returns the components in plans of embedded goldens; if `recorded`, only those with a recorded output.
std::set<std::string> held_components(bool recorded = false) {
  std::set<std::string> held;
  for (const char* folder : {"golden/data", "golden/cut", "golden/processors"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!std::filesystem::exists(entry.path() / "activations.h5")) continue;
      const auto golden = golden::Golden::open(entry.path());
      for (const Node& node : replay::plan_of(golden).nodes) {
        const bool any = std::any_of(node.outputs.begin(), node.outputs.end(), [&](const auto& output) {
          return golden.activations().contains(output.second.name);
        });
        if (any || !recorded) held.insert(node.component);
      }
    }
  }
  return held;
}

TEST(Catalogue, KnowsThreeFaultsOfEveryComponentThatARecordingHolds) {
  const std::set<std::string> held = held_components(true);
  EXPECT_GT(held.size(), 40U);  // the loop found goldens
  std::map<std::string, int> count;
  for (const Fault& fault : catalogue()) ++count[fault.component];

  for (const std::string& component : reference::registry().components()) {
    EXPECT_TRUE(count[component] >= 3 || !held.contains(component)) << component << " " << count[component];
  }
}

/// Whether a drawn case shows the fault. This is the only proof for faults that no golden can have.
bool fails_a_case(const Fault& fault) {
  cases::BatteryOptions options;
  options.cases = 20;
  options.large = 0;
  options.wanted = [&](const cases::CaseSpec& spec) { return has_place(fault, spec); };
  return cases::run_battery(fault.component, with_fault(fault), options).failed > 0;
}

TEST(Catalogue, FaultsOfComponentsThatNoGoldenHoldsFailADrawnCase) {
  const std::set<std::string> held = held_components();
  for (const Fault& fault : catalogue()) {
    if (held.contains(fault.component) || fault.by_relations || !fault.equivalent.empty()) continue;
    EXPECT_TRUE(fails_a_case(fault)) << fault.id;
  }
  const auto drawn = parse_faults(
      R"json([{"id": "x", "title": "t", "component": "slot_positions", "edits": [{"output": "out", "map": {"kind": "offset", "number": 1}}]},
              {"id": "y", "title": "t", "component": "residual_add", "edits": [{"input": "branch", "map": {"kind": "scale", "number": 1}}]}])json",
      "mine.json");
  EXPECT_TRUE(fails_a_case(drawn.front()));
  EXPECT_FALSE(fails_a_case(drawn.back()));  // this fault changes nothing, so the rule can fail
}

TEST(Matrix, PlantsNothingInAComponentThatNoGoldenHoldsAndCountsItNot) {
  MatrixOptions options;
  options.goldens = {"golden/data/m2-text-f32"};
  options.select = "patchify-mean";

  const Matrix matrix = run_matrix(options);

  EXPECT_TRUE(matrix.rows.empty());
  ASSERT_EQ(matrix.not_held.size(), 1U);
  EXPECT_EQ(matrix.not_held.front()->id, "patchify-mean");
}

TEST(Catalogue, NamesOnlyWhatComponentsHave) {
  for (const char* edit :
       {R"({"input": "xx", "map": {"kind": "scale"}})", R"({"output": "ot", "map": {"kind": "scale"}})",
        R"({"set": {"epps": 1.0}})", R"({"times": {"epps": 2.0}})", R"({"round": {"normalized": "exact"}})",
        R"({"rewire": {"xx": "{at}out"}})", R"({"swap": ["x", "wt"]})", R"({"replace": "rms_nrm"})"}) {
    const auto faults = parse_faults(
        fmt::format(R"([{{"id": "x", "title": "t", "component": "rms_norm", "edits": [{}]}}])", edit), "mine.json");
    EXPECT_THAT([&] { require_names(faults.front()); },
                ::testing::ThrowsMessage<Error>(::testing::HasSubstr("did you mean '")))
        << edit;
  }
  EXPECT_THAT(
      [] {
        static_cast<void>(read_catalogue({{"norm/rms_norm.json", R"([{"id": "x", "title": "t", "component": "rms_norm",
                                           "edits": [{"set": {"epps": 1.0}}]}])"}}));
      },
      ::testing::ThrowsMessage<Error>(::testing::HasSubstr("norm/rms_norm.json: fault x")));
}

TEST(Catalogue, ReadsAFaultOfOneLine) {
  const auto faults = parse_faults(
      R"json([{"id": "x", "title": "t", "component": "linear", "at": ["*q_proj"],
           "edits": [{"input": "x", "map": {"kind": "scale", "number": "sqrt(H)"}}, {"set": {"eps": "rsqrt(D)"}}]}])json",
      "mine.json");

  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].at, std::vector<std::string>{"*q_proj"});
  ASSERT_EQ(faults[0].edits.size(), 2U);
  EXPECT_EQ(std::get<MapInput>(faults[0].edits[0]).map.number, "sqrt(H)");
  EXPECT_EQ(std::get<SetParam>(faults[0].edits[1]).expression, "rsqrt(D)");
}

TEST(Catalogue, RefusesWhatNothingReads) {
  EXPECT_THAT(refusal_of("[{]"), HasSubstr("mine.json"));
  EXPECT_THAT(refusal_of(R"([{"id": "x"}])"), HasSubstr("fault x"));
  EXPECT_THAT(refusal_of(R"([{"id": "x", "title": "t", "component": "linear", "edits": [], "sen": []}])"),
              HasSubstr("unknown key 'sen' (did you mean 'seen'?"));
  EXPECT_THAT(refusal_of(R"([{"id": "x", "title": "t", "component": "linear", "edits": []}])"),
              HasSubstr("'edits' is empty"));
  EXPECT_THAT(refusal_of(R"([{"id": "x", "title": "t", "component": "linear",
                             "edits": [{"input": "x", "map": {"kind": "rolled"}}]}])"),
              HasSubstr("unknown map 'rolled' (did you mean 'roll'?"));
}

TEST(Catalogue, RefusesAnIdThatOccursTwiceAndAFaultInTheFileOfAnotherComponent) {
  const auto fault = [](const char* id) {
    return fmt::format(R"([{{"id": "{}", "title": "t", "component": "linear", "edits": [{{"swap": ["x", "x"]}}]}}])",
                       id);
  };
  const std::string one = fault("one"), two = fault("two");
  const auto refused = [](const std::vector<CatalogueFile>& files) {
    return parity::refusal_of(ErrorCode::schema, [&] { return read_catalogue(files); });
  };

  EXPECT_EQ(read_catalogue({{"a/linear.json", one}, {"b/linear.json", two}}).size(), 2U);
  EXPECT_THAT(refused({{"a/linear.json", one}, {"b/linear.json", one}}),
              HasSubstr("b/linear.json: fault 'one' is in the catalogue twice"));
  EXPECT_THAT(refused({{"a/rms_norm.json", one}}), HasSubstr("edits component 'linear'; move it to linear.json"));
  EXPECT_THAT(refused({{"ranks/linear.json", one}}), HasSubstr("fault 'one' has no 'layouts'"));
}

TEST(Catalogue, FoldersAreTheTopicsOfTheirComponents) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("faults/catalogue")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::filesystem::path topic = entry.path().parent_path();
    const auto header = std::filesystem::path("core/components") / topic.filename() / entry.path().stem();
    EXPECT_EQ(topic.parent_path(), "faults/catalogue") << entry.path();
    EXPECT_TRUE(topic.filename() == "ranks" || std::filesystem::exists(header.string() + ".hpp")) << entry.path();
  }
  EXPECT_GT(files, 60);
}

TEST(Catalogue, UnknownIdsGetTheNearest) {
  try {
    static_cast<void>(find_fault("router-softmx"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'router-softmax'?"));
  }
}

}  // namespace
}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/catalogue.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/edit.hpp"
#include "reference/reference.hpp"

namespace parity::faults {
namespace {

using testing::HasSubstr;

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

TEST(Catalogue, KnowsThreeFaultsOfEveryComponentThatARecordingHolds) {
  const std::vector<std::string> unrecorded{"document_pairs", "slot_positions"};  // docs/coverage.md
  std::map<std::string, int> count;
  for (const Fault& fault : catalogue()) ++count[fault.component];

  for (const std::string& component : reference::registry().components()) {
    if (std::find(unrecorded.begin(), unrecorded.end(), component) != unrecorded.end()) continue;
    EXPECT_GE(count[component], 3) << component;
  }
}

TEST(Catalogue, NamesOnlyWhatComponentsHave) {
  for (const Fault& fault : catalogue()) {
    const Definition& definition = reference::registry().component(fault.component);
    for (const Edit& edit : fault.edits) {
      const auto* input = std::get_if<MapInput>(&edit);
      const auto* output = std::get_if<MapOutput>(&edit);
      const auto* other = std::get_if<ReplaceComponent>(&edit);
      EXPECT_NO_THROW({
        if (input != nullptr) static_cast<void>(definition.input_index(input->field));
        if (output != nullptr) static_cast<void>(definition.output_index(output->field));
        if (other != nullptr) static_cast<void>(registry().component(other->component));
      }) << fault.id;
    }
  }
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
              HasSubstr("unknown key 'sen'; did you mean 'seen'?"));
  EXPECT_THAT(refusal_of(R"([{"id": "x", "title": "t", "component": "linear", "edits": []}])"), HasSubstr("no edits"));
  EXPECT_THAT(refusal_of(R"([{"id": "x", "title": "t", "component": "linear",
                             "edits": [{"input": "x", "map": {"kind": "rolled"}}]}])"),
              HasSubstr("unknown map 'rolled'; did you mean 'roll'?"));
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

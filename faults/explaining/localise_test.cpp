// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plants catalogue faults in a slice of their output. The failing line must name the slice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/catalogue.hpp"
#include "faults/studies/fixture.hpp"
#include "faults/studies/planting.hpp"
#include "faults/testing/text_fixture.hpp"

namespace parity::faults {
namespace {

using tests::fixture;

using ::testing::HasSubstr;

const Ground& ground() {
  static const Ground instance{fixture(), {}, {}, {}};
  return instance;
}

/// Returns the judge's description of the first divergence with the fault planted at `at`.
std::string words_on(const std::string& id, const std::string& at) {
  Fault fault = find_fault(id);
  fault.at = {at};
  const Planting planting = plant(fault, ground());
  EXPECT_GT(planting.places, 0) << id;
  EXPECT_TRUE(planting.named_exactly()) << id << ": " << planting.named;
  return planting.reason;
}

/// Returns the judge's description for a fault that applies `map` to the outputs of the nodes at `at`.
std::string words_on_scaled(const std::string& component, const std::string& at, const TensorMap& map) {
  Fault fault;
  fault.id = "scaled";
  fault.component = component;
  fault.at = {at};
  fault.edits = {MapOutput{"out", map}};
  const Planting planting = plant(fault, ground());
  EXPECT_TRUE(planting.named_exactly()) << planting.named;
  return planting.reason;
}

TensorMap scaled(const std::string& axis, const std::string& first, int64_t count, int64_t every) {
  TensorMap map;
  map.number = "1.5";
  map.axis = axis;
  map.first = first;
  map.count = count;
  map.every = every;
  return map;
}

TEST(Localise, NamesTheSliceOfCataloguedFaults) {
  const std::string layer = "steps/000/text/layers/00/attention/";

  EXPECT_THAT(words_on("linear-last-token-lost", layer + "o_proj"), HasSubstr("(the last)"));
  EXPECT_THAT(words_on("linear-every-16th-column", layer + "q_proj"), HasSubstr("channel"));
  EXPECT_THAT(words_on("sparse-one-head-zero", "*"), HasSubstr("head 1"));
  EXPECT_THAT(words_on("sparse-one-channel", "*"), HasSubstr("channel 7 (the last)"));
  EXPECT_THAT(words_on("lm_head-one-word", "steps/000/text/lm_head"), HasSubstr("token id 3"));
}

TEST(Localise, NamesStridesHalvesAndTails) {
  const std::string at = "steps/000/text/layers/00/attention/o_proj";

  EXPECT_THAT(words_on_scaled("linear", at, scaled("S", "3", 1 << 30, 8)), HasSubstr("every 8th token from 3 on"));
  EXPECT_THAT(words_on_scaled("linear", at, scaled("S", "0", 1 << 30, 2)), HasSubstr("even tokens"));
  EXPECT_THAT(words_on_scaled("linear", at, scaled("S", "17", 1 << 30, 1)), HasSubstr("(to the end)"));
  EXPECT_THAT(words_on_scaled("linear", at, scaled("H", "1", 1 << 30, 2)), HasSubstr("odd channels"));
}

}  // namespace
}  // namespace parity::faults

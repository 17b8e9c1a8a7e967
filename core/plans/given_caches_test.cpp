// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plans of calls on caches that calls outside of the plan filled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

const std::string kKeys = "text/layers/01/cache/k";

/// Caches of 5 slots for the given layers, then 3 tokens.
PlanRequest on_given(std::vector<int64_t> layers, const std::string& profile = "hf-5.12.0") {
  PlanRequest request = two_calls(profile);
  request.calls = {{"000", 2, 0, 5}, {"001", 2, 3, 8}};
  request.calls[0].edits = CacheEdits{false, false, 0, std::move(layers)};
  return request;
}

Plan plan_on(std::vector<int64_t> layers, const std::string& system = "minimax_m3_vl") {
  return build_plan(system, tiny_config(system), on_given(std::move(layers)));
}

bool computes(const Plan& plan, const std::string& tap) {
  return plan.taps.contains(tap) && plan.tap(tap).producer >= 0;
}

TEST(GivenCaches, AreInputsThatTheNextCallContinues) {
  const Plan plan = plan_on({1});

  EXPECT_EQ(plan.tap("steps/000/" + kKeys).producer, -1);
  EXPECT_EQ(plan.tap("steps/000/" + kKeys).shape, (Shape{2, 2, 5, 8}));
  EXPECT_EQ(plan.tap("steps/000/text/layers/01/cache/index_k").type, TapType::working);
  EXPECT_EQ(node_at(plan, "steps/001/" + kKeys).inputs.at("past").front().name, "steps/000/" + kKeys);
  EXPECT_EQ(plan.tap("steps/001/" + kKeys).shape, (Shape{2, 2, 8, 8}));
}

TEST(GivenCaches, BeginTheHistory) {
  const Plan plan = plan_on({1});
  const auto& parts = plan.histories.at("steps/001/" + kKeys);

  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].tap, "steps/000/" + kKeys);
  EXPECT_EQ(parts[0].length, 5);
  EXPECT_EQ(parts[1].first, 5);
}

TEST(GivenCaches, LeaveOutTheOtherLayersWhoseOutputIsThenAnInput) {
  const Plan plan = plan_on({1});

  EXPECT_TRUE(computes(plan, "steps/001/text/layers/01/out"));
  EXPECT_FALSE(computes(plan, "steps/001/text/layers/00/out"));
  EXPECT_TRUE(plan.taps.contains("steps/001/text/layers/00/out"));
  EXPECT_FALSE(plan.taps.contains("steps/000/text/layers/00/cache/k"));
  EXPECT_EQ(plan.aliases.at("steps/001/text/layers/01/in"), "steps/001/text/layers/00/out");
}

TEST(GivenCaches, LeaveOutTheHeadBehindALayerThatIsNotComputed) {
  EXPECT_FALSE(plan_on({0, 1}).taps.contains("steps/001/text/layers/02/out"));
  EXPECT_FALSE(plan_on({0, 1}).taps.contains("steps/001/text/lm_head/out"));
  EXPECT_TRUE(computes(plan_on({2}), "steps/001/text/lm_head/out"));
}

TEST(GivenCaches, OfAllLayersLeaveOutNothing) {
  const Plan m3 = plan_on({0, 1, 2});
  const Plan m2 = plan_on({0, 1}, "minimax_m2");

  for (const Plan* plan : {&m3, &m2}) {
    EXPECT_TRUE(computes(*plan, "steps/001/text/layers/00/out"));
    EXPECT_TRUE(computes(*plan, "steps/001/text/lm_head/out"));
  }
}

TEST(GivenCaches, CanFollowACall) {
  PlanRequest request = on_given({1});
  request.calls.push_back({"002", 2, 0, 20});
  request.calls.back().edits = CacheEdits{false, false, 0, {1}};
  request.calls.push_back({"003", 2, 1, 21});

  const Plan plan = build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request);

  EXPECT_EQ(node_at(plan, "steps/003/" + kKeys).inputs.at("past").front().name, "steps/002/" + kKeys);
  EXPECT_EQ(plan.histories.at("steps/003/" + kKeys).front().length, 20);
}

TEST(GivenCaches, AreRefusedWhereRowsAreNoCallOnThem) {
  EXPECT_THAT(
      refusal_of(
          ErrorCode::unsupported,
          [] { return build_plan("minimax_text_01", tiny_config("minimax_text_01"), on_given({1}, "hf-4.56.2")); }),
      HasSubstr("call 000 has the contents of caches as input"));
  EXPECT_THAT(refusal_of(ErrorCode::unsupported,
                         [] {
                           PlanRequest request = on_given({1});
                           request.static_slots = 9;
                           return build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request);
                         }),
              HasSubstr("call 000 has the contents of a static cache as input"));
}

}  // namespace
}  // namespace parity

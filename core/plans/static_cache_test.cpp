// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plans of calls on a cache of fixed length: two calls of 2 x (5 + 1) tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

const std::string kKeys = "text/layers/01/cache/k";
const std::string kIndexKeys = "text/layers/01/cache/index_k";

PlanRequest on_static(int64_t slots, const std::string& profile = "hf-5.12.0") {
  PlanRequest request = two_calls(profile);
  request.static_slots = slots;
  return request;
}

Plan plan_on(int64_t slots, const std::string& profile = "hf-5.12.0", const std::string& system = "minimax_m3_vl") {
  return build_plan(system, tiny_config(system), on_static(slots, profile));
}

int64_t parameter(const Plan& plan, const std::string& prefix, const std::string& name) {
  return std::get<int64_t>(node_at(plan, prefix).params.at(name));
}

TEST(StaticCache, KeysAndIndexKeysAreBuffersOfItsLength) {
  const Plan plan = plan_on(9);

  EXPECT_EQ(plan.tap("steps/000/" + kKeys).shape, (Shape{2, 2, 9, 8}));
  EXPECT_EQ(plan.tap("steps/001/" + kIndexKeys).shape, (Shape{2, 1, 9, 6}));
  EXPECT_EQ(node_at(plan, "steps/001/" + kKeys).component, "cache_write");
}

TEST(StaticCache, LaterCallsWriteAndAskBehindTheFilledSlots) {
  const Plan plan = plan_on(9);
  const std::string core = "/text/layers/01/attention/core";

  EXPECT_EQ(parameter(plan, "steps/000/" + kKeys, "filled"), 0);
  EXPECT_EQ(parameter(plan, "steps/001/" + kIndexKeys, "filled"), 5);
  EXPECT_EQ(parameter(plan, "steps/000" + core, "query_slot"), 0);
  EXPECT_EQ(parameter(plan, "steps/001" + core, "query_slot"), 5);
  EXPECT_EQ(node_at(plan, "steps/001/" + kKeys).inputs.at("past").front().name, "steps/000/" + kKeys);
}

TEST(StaticCache, BlocksAreCountedOverTheBuffer) {  // blocks of 2 slots: 5 used slots make 3
  const Plan plan = plan_on(9);

  EXPECT_EQ(plan.tap("steps/000/text/layers/01/attention/indexer/block_scores").shape, (Shape{2, 5, 5}));
  EXPECT_EQ(plan.tap("steps/000/text/layers/01/attention/indexer/scores").shape, (Shape{2, 2, 5, 9}));
}

TEST(StaticCache, TheMaskIsOfTheSlotsInUse) {
  EXPECT_EQ(plan_on(9).tap("steps/001/tokens/attention_mask").shape, (Shape{2, 6}));
  EXPECT_EQ(plan_on(9).sizes.at(1).at('U'), 6);
}

TEST(StaticCache, HistoriesKeepTheTailOfAnEditedBuffer) {
  PlanRequest request = on_static(9);
  request.calls.push_back({"002", 2, 0, 6});
  request.calls.back().edits = CacheEdits{true, true, 0};
  request.calls.push_back({"003", 2, 1, 7});
  const Plan plan = build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request);
  const auto& parts = plan.histories.at("steps/003/" + kIndexKeys);

  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].tap, "steps/002/" + kIndexKeys);
  EXPECT_EQ(parts[0].length, 9);
  EXPECT_EQ(parts[1].first, 6);
}

TEST(StaticCache, ABufferWithoutRoomIsRefused) {
  EXPECT_NO_THROW((void)plan_on(6));
  EXPECT_THAT(refusal_of(ErrorCode::schema, [] { return plan_on(5); }),
              HasSubstr("call 001 fills 6 slots of a static cache that has only 5"));
}

TEST(StaticCache, ACropKeepsTheBufferAndTheNextCallWritesOverTheDroppedTokens) {
  PlanRequest request = on_static(9, "hf-5.24.0");
  request.calls.push_back({"002", 2, 0, 4});
  request.calls.back().edits = CacheEdits{false, false, -2};
  request.calls.push_back({"003", 2, 3, 7});
  const Plan plan = build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request);

  EXPECT_EQ(plan.tap("steps/002/" + kIndexKeys).shape, (Shape{2, 1, 9, 6}));
  EXPECT_EQ(parameter(plan, "steps/003/" + kIndexKeys, "filled"), 4);
  EXPECT_EQ(parameter(plan, "steps/003/text/layers/01/attention/core", "query_slot"), 4);
  EXPECT_EQ(plan.tap("steps/003/tokens/attention_mask").shape, (Shape{2, 7}));
}

TEST(StaticCache, ACropIsRefusedUnderReleasesThatDropIndexKeysTwice) {
  PlanRequest request = on_static(9, "hf-5.12.0");
  request.calls.push_back({"002", 2, 0, 4});
  request.calls.back().edits = CacheEdits{false, false, -2};

  EXPECT_THAT(refusal_of(ErrorCode::unsupported,
                         [&] { return build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request); }),
              HasSubstr("call 002 crops a static cache"));
}

TEST(StaticCache, RowsCannotBeSelectedNorSlotsKeptByTheirNumber) {
  for (const CacheEdits& edits :
       {CacheEdits{true, false, 0}, CacheEdits{false, false, 4}, CacheEdits{true, true, -1}}) {
    PlanRequest request = on_static(9);
    request.calls.push_back({"002", 2, 0, 4});
    request.calls.back().edits = edits;
    EXPECT_THAT(refusal_of(ErrorCode::unsupported,
                           [&] { return build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request); }),
                HasSubstr("call 002 selects or repeats rows of a static cache"));
  }
}

TEST(StaticCache, IsRefusedWhereThePackageHasNone) {
  const auto refusal = [](const std::string& profile, const std::string& system) {
    return refusal_of(ErrorCode::unsupported, [&] { return plan_on(9, profile, system); });
  };

  EXPECT_THAT(refusal("hf-4.56.2", "minimax_text_01"), HasSubstr("only accepts its own growing cache"));
  EXPECT_THAT(refusal_of(ErrorCode::unsupported,
                         [] {
                           PlanRequest request = on_static(9, "nemo");
                           for (Call& call : request.calls) call.keys = call.tokens;
                           return build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), request);
                         }),
              HasSubstr("NeMo's model has no cache"));
}

}  // namespace
}  // namespace parity

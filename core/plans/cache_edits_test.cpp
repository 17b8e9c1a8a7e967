// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Calls that edit the caches instead of computing: reorder, select, repeat, crop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

const std::string kIndexKeys = "text/layers/01/cache/index_k";

/// Calls of 2 x 5 and 2 x 1 tokens, then edits; if `goes_on`, one more token in each of `batch` rows.
Plan edited(const std::string& system, const std::string& profile, const CacheEdits& edits, int64_t batch, int64_t kept,
            bool goes_on = true) {
  PlanRequest request = two_calls(profile);
  request.calls.push_back({"002", batch, 0, kept});
  request.calls.back().edits = edits;
  if (goes_on) request.calls.push_back({"003", batch, 1, kept + 1});
  return build_plan(system, tiny_config(system), request);
}

TEST(CacheEdits, OfRowsGiveTheNextCallItsPast) {
  const Plan plan = edited("minimax_m3_vl", "hf-5.13.0", {true, false, 0}, 3, 6);

  EXPECT_EQ(plan.tap("steps/002/tokens/cache_rows").shape, (Shape{3}));
  EXPECT_EQ(plan.tap("steps/002/" + kIndexKeys).shape, (Shape{3, 1, 6, 6}));
  const Node& append = node_at(plan, "steps/003/" + kIndexKeys);
  EXPECT_EQ(append.inputs.at("past").front().name, "steps/002/" + kIndexKeys);
}

TEST(CacheEdits, BeginAHistoryOfTheirOwn) {
  const Plan plan = edited("minimax_m3_vl", "hf-5.13.0", {true, false, 0}, 3, 6);
  const auto& parts = plan.histories.at("steps/003/" + kIndexKeys);

  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].tap, "steps/002/" + kIndexKeys);
  EXPECT_EQ(parts[0].length, 6);
  EXPECT_EQ(parts[1].first, 6);
}

TEST(CacheEdits, ANegativeCropDropsIndexKeysTwiceUntil515) {
  const CacheEdits crop{false, false, -1};
  for (const char* profile : {"hf-5.12.0", "hf-5.14.1"}) {
    const Plan plan = edited("minimax_m3_vl", profile, crop, 2, 5, false);
    EXPECT_EQ(plan.tap("steps/002/text/layers/01/cache/k").shape[2], 5) << profile;
    EXPECT_EQ(plan.tap("steps/002/" + kIndexKeys).shape[2], 4) << profile;
  }
  const Plan mended = edited("minimax_m3_vl", "hf-5.15.0", crop, 2, 5);
  EXPECT_EQ(mended.tap("steps/002/" + kIndexKeys).shape[2], 5);
}

TEST(CacheEdits, OfCropsThatLeaveOtherIndexKeysCannotBeFollowed) {
  EXPECT_THAT(refusal_of(ErrorCode::unsupported,
                         [] {
                           return edited("minimax_m3_vl", "hf-5.12.0", {false, false, -1}, 2, 5);
                         }),
              HasSubstr("call 003 follows a negative crop"));
  EXPECT_NO_THROW((void)edited("minimax_m3_vl", "hf-5.12.0", {false, false, 5}, 2, 5));
}

bool states_follow_rows(const CacheEdits& edits) {
  const Plan plan = edited("minimax_text_01", "hf-4.56.2", edits, 2, 6);
  return node_at(plan, "steps/002/text/layers/00/cache/state").inputs.contains("rows");
}

/// MiniMaxCache inherits reorder_cache, which changes only keys and values.
TEST(CacheEdits, OfBeamSearchLeaveTheStatesOfLightningAttentionWhereTheyAre) {
  EXPECT_TRUE(states_follow_rows({true, false, 0}));
  EXPECT_FALSE(states_follow_rows({true, true, 0}));
}

TEST(CacheEdits, SelectTheStatesOfLightningAttentionButNeverCropThem) {
  const Plan plan = edited("minimax_text_01", "hf-4.56.2", {true, false, 0}, 4, 6);

  EXPECT_EQ(plan.tap("steps/002/text/layers/00/cache/state").shape, (Shape{4, 4, 4, 4}));
  EXPECT_THAT(refusal_of(ErrorCode::unsupported,
                         [] {
                           return edited("minimax_text_01", "hf-4.56.2", {false, false, 4}, 2, 4);
                         }),
              HasSubstr("crops the cache"));
}

}  // namespace
}  // namespace parity

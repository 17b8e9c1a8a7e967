// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Faults of dispatched tokens and of their links are noticed, and named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/sharding/rank_names.hpp"
#include "faults/catalogue.hpp"
#include "faults/studies/rank_trial.hpp"

namespace parity::faults {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kGolden = "golden/data/m3-ranks-f32";
constexpr RankTarget kAtOne{1, 0, 0, 0};  // rank 1, and rank 0 of the other group

const RankGround& ground(const std::string& layout) {
  static std::map<std::string, std::unique_ptr<RankGround>> grounds;
  auto& found = grounds[layout];
  if (!found) found = std::make_unique<RankGround>(kGolden, parse_layout(layout), "");
  return *found;
}

RankTrial tried(const std::string& id, const std::string& by = "all-to-all") {
  return run_rank_trial(find_fault(id), kAtOne, ground("ep 2, dp 2, dispatch " + by));
}

TEST(DispatchFaults, AnUntouchedRunHasNone) {
  EXPECT_EQ(ground("ep 2, dp 2, dispatch all-to-all").judged().verdict, compare::Status::pass);
  EXPECT_EQ(ground("ep 2, dp 2, dispatch all-gather").judged().verdict, compare::Status::pass);
}

TEST(DispatchFaults, ALostTokenNamesItsRank) {
  const RankTrial trial = tried("dispatch-token-lost");

  EXPECT_THAT(trial.wrong, ElementsAre(1));
  EXPECT_TRUE(trial.named) << trial.named_tap << ": " << trial.text;
}

TEST(DispatchFaults, ARankThatCombineForgetsIsNamed) {
  const RankTrial trial = tried("combine-rank-forgotten");

  EXPECT_TRUE(trial.named) << trial.named_tap << ": " << trial.text;
  EXPECT_THAT(trial.text, HasSubstr("the part of rank 0 as zeros"));
}

TEST(DispatchFaults, RowsThatArriveAsZerosNameTheLink) {
  for (const std::string id : {"link-dispatch-zero", "link-combine-zero"}) {
    const RankTrial trial = tried(id);

    EXPECT_TRUE(trial.of_link);
    EXPECT_TRUE(trial.named) << id << ": " << trial.named_tap << ": " << trial.text;
    EXPECT_THAT(trial.text, HasSubstr("link 0 -> 1"));
  }
}

TEST(DispatchFaults, ALostTermOfAScatteredSumNamesTheLink) {
  const RankTrial trial = tried("link-scatter-zero", "all-gather");

  EXPECT_TRUE(trial.named) << trial.named_tap << ": " << trial.text;
  EXPECT_THAT(trial.text, HasSubstr("link 0 -> 1"));
}

}  // namespace
}  // namespace parity::faults

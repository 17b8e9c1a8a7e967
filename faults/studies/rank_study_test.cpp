// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/rank_study.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/sharding/rank_names.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "faults/catalogue.hpp"
#include "faults/studies/rank_trial.hpp"
#include "reference/reference.hpp"

namespace parity::faults {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kGolden = "golden/data/m3-ranks-f32";

RankTrial tried(const std::string& id, const RankTarget& target, const std::string& layout) {
  return run_rank_trial(find_fault(id), target, RankGround(kGolden, parse_layout(layout), ""));
}

TEST(RankFaults, TheCatalogueHasFortyOfRanksAndLinks) {
  std::set<std::string> layouts;
  int64_t links = 0;
  for (const Fault& fault : rank_catalogue()) {
    links += edits_messages(fault) ? 1 : 0;
    for (const std::string& layout : fault.layouts) layouts.insert(layout_text(parse_layout(layout)));
  }
  EXPECT_GE(rank_catalogue().size(), 60U);
  EXPECT_GE(links, 20);
  EXPECT_GE(layouts.size(), 8U);
}

TEST(RankFaults, ATermLeftOutNamesRankAndTerm) {
  const RankTrial trial = tried("rank-sum-without-one", {2, 3, 0, 0}, "tp 4");

  EXPECT_THAT(trial.wrong, ElementsAre(2));
  EXPECT_TRUE(trial.named) << trial.named_tap << ": " << trial.text;
  EXPECT_THAT(trial.text, HasSubstr("the part of rank 3 as zeros; all 4 terms were right when sent"));
}

TEST(RankFaults, AWrongShardNamesItsRankAndNotTheSumsOfOthers) {
  const RankTrial trial = tried("rank-o_proj-of-next", {1, 0, 0, 0}, "tp 2");

  EXPECT_TRUE(trial.named) << trial.named_tap << ": " << trial.text;
  EXPECT_EQ(trial.text, "rank 1 is wrong, rank 0 is right");
}

TEST(RankFaults, AMessageThatArrivesShiftedNamesTheLink) {
  const RankTrial trial = tried("link-gather-shifted", {0, 1, 0, 0}, "tp 2");

  EXPECT_TRUE(trial.of_link);
  EXPECT_TRUE(trial.named) << trial.named_tap << ": " << trial.text;
  EXPECT_THAT(trial.text, HasSubstr("link 1 -> 0"));
}

TEST(RankFaults, AFaultWithoutAPlaceIsNotPlanted) {
  EXPECT_FALSE(tried("rank-experts-offset-one", {1, 0, 0, 0}, "tp 2").planted());  // experts are not divided
}

TEST(RankFaults, WordsNameTheirRanks) {
  EXPECT_EQ(placed_fault("rank-sum-forgotten@3-2").at.front(), "ranks/03/*text/*attention/o_proj/out");
  EXPECT_EQ(placed_fault("rank-sum-forgotten").at.front(), "ranks/01/*text/*attention/o_proj/out");
  EXPECT_THROW(static_cast<void>(placed_fault("rank-sum-forgotten@x")), Error);
  EXPECT_THROW(static_cast<void>(placed_fault("rms_norm-without-one@3")), Error);
}

}  // namespace
}  // namespace parity::faults

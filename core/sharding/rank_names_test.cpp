// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/rank_names.hpp"

#include <gtest/gtest.h>

namespace parity {
namespace {

TEST(RankNames, ATapBeginsWithItsRank) {
  EXPECT_EQ(rank_of_tap("ranks/03/steps/000/x"), 3);
  EXPECT_EQ(rank_of_tap("ranks/117/x"), 117);
  EXPECT_EQ(rank_of_tap("steps/000/ranks/03/x"), -1);
  EXPECT_EQ(rank_of_tap("ranks/x"), -1);
  EXPECT_EQ(without_rank("ranks/03/steps/000/x"), "steps/000/x");
  EXPECT_EQ(without_rank("steps/000/x"), "steps/000/x");
}

TEST(RankNames, NeighbouringRanksAreOneRange) {
  EXPECT_EQ(ranks_text({3}), "rank 3");
  EXPECT_EQ(ranks_text({7, 0, 1, 2, 4, 6, 5}), "ranks 0-2, 4-7");
}

TEST(RankNames, ALayoutIsReadAsItIsWritten) {
  for (const Layout& layout : {Layout{2, 1, 1, 1, ""}, Layout{4, 4, 2, 2, "vllm"}, Layout{1, 8, 1, 1, ""},
                               Layout{2, 4, 1, 2, "", kAllToAll}}) {
    const Layout back = parse_layout(layout_text(layout));
    EXPECT_EQ(back.dimensions(), layout.dimensions());
    EXPECT_EQ(back.dispatch, layout.dispatch);
    EXPECT_EQ(back.rules, layout.rules);
  }
  EXPECT_EQ(layout_text(Layout()), "");
  EXPECT_TRUE(parse_layout("").single());
}

TEST(RankNames, AWrongLayoutIsRefused) {
  for (const char* text : {"tp", "tp two", "tp 0", "xp 2", "tp 2,dp 2"})
    EXPECT_THROW(static_cast<void>(parse_layout(text)), Error) << text;
}

}  // namespace
}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/battery/spread.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace parity::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Shards, AreCountedFromOne) {
  const ShardNumber shard = parse_shard("2/4");

  EXPECT_EQ(shard.index, 2);
  EXPECT_EQ(shard.of, 4);
  EXPECT_EQ(shard.text(), "2/4");
}

TEST(Shards, OtherTextsAreRefused) {
  for (const char* text : {"", "2", "/4", "2/", "2/4/8", "2/4x", "two/4", "2 /4", "1.5/4"})
    EXPECT_THAT([&] { static_cast<void>(parse_shard(text)); },
                ThrowsMessage<Error>(HasSubstr("write 2/4 for the second of four")))
        << text;
  for (const char* text : {"0/4", "5/4", "-1/4", "1/0", "1/999999"})
    EXPECT_THAT([&] { static_cast<void>(parse_shard(text)); },
                ThrowsMessage<Error>(HasSubstr("INDEX must be 1 to COUNT")))
        << text;
}

TEST(Shards, TheDearestPieceGoesToTheIdlestShard) {
  const auto shards = spread_costs({1, 5, 2, 4}, 2);  // 5 | 4, then 2 to the second, 1 to the first

  EXPECT_THAT(shards, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(Shards, EqualPiecesGoRoundInOrder) {
  EXPECT_THAT(spread_costs({1, 1, 1, 1, 1}, 2), ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1, 3)));
}

TEST(Shards, EveryPieceIsInOneShardAndNoShardIsEmpty) {
  std::vector<double> costs;
  for (int i = 0; i < 37; ++i) costs.push_back(1.0 + i * i % 11);
  for (int64_t count = 1; count <= 37; ++count) {
    std::vector<size_t> seen;
    for (const auto& pieces : spread_costs(costs, count)) {
      EXPECT_FALSE(pieces.empty());
      seen.insert(seen.end(), pieces.begin(), pieces.end());
    }
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), costs.size());
    for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
  }
}

}  // namespace
}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/traffic.hpp"

#include <gtest/gtest.h>

namespace parity::ranks {
namespace {

TEST(Traffic, ARingSendsTwiceAllButOneChunk) {
  for (const int64_t ranks : {2, 4, 8}) {
    for (int64_t member = 0; member < ranks; ++member) {
      const Traffic sent = all_reduce_traffic(member, ranks, 1024, 2, SumOrder::ring);

      EXPECT_EQ(sent.bytes, 2 * (ranks - 1) * 2048 / ranks);
      EXPECT_EQ(sent.messages, 2 * (ranks - 1));
    }
  }
}

TEST(Traffic, UnevenChunksOfARingAddUp) {
  int64_t total = 0;
  for (int64_t member = 0; member < 3; ++member) total += all_reduce_traffic(member, 3, 7, 4, SumOrder::ring).bytes;

  EXPECT_EQ(total, 2 * 2 * 7 * 4);  // chunks of 3, 3 and 1 elements pass two links twice
  EXPECT_EQ(all_reduce_traffic(0, 3, 7, 4, SumOrder::ring).bytes, 4 * ((1 + 3) + (3 + 1)));
}

TEST(Traffic, ByRankEveryTensorGoesToAllOthers) {
  EXPECT_EQ(all_reduce_traffic(1, 4, 10, 2, SumOrder::by_rank).bytes, 3 * 20);
  EXPECT_EQ(all_gather_traffic(4, 5).bytes, 15);  // three quarters of the whole, 20
}

TEST(Traffic, ATreeSendsEachTensorUpAndDown) {
  int64_t total = 0;
  for (int64_t member = 0; member < 5; ++member) total += all_reduce_traffic(member, 5, 10, 2, SumOrder::tree).bytes;

  EXPECT_EQ(total, 2 * 4 * 20);
  EXPECT_EQ(all_reduce_traffic(0, 5, 10, 2, SumOrder::tree).messages, 3);  // down to 1, 2 and 4
  EXPECT_EQ(all_reduce_traffic(3, 5, 10, 2, SumOrder::tree).messages, 1);  // up to 2
}

}  // namespace
}  // namespace parity::ranks

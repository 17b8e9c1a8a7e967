// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Collectives between threads, and between processes if mpirun runs this program: the same bits as sums in the stated
// order, for any number of elements and ranks.
#include "ranks/collectives.hpp"

#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "ranks/testing/engines.hpp"

namespace parity::ranks {
namespace {

using namespace tests;

TEST(Collectives, SumsHaveTheBitsOfTheirOrder) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (const DType type : {DType::f32, DType::bf16}) {
      for (const int64_t count : {0, 1, 7, 64, 1001}) {
        for (const Order order : {Order::by_rank, Order::ring, Order::tree, Order::gloo}) {
          run_ranks(ranks, [&](Communicator& own) {
            dawdle(own.rank(), static_cast<int>(count));
            const Tensor part = part_of_rank(own.rank(), type, count);
            const Tensor sum = all_reduce(own, everyone(ranks), 3, part, order);
            for (int64_t i = 0; i < count; i += 1 + count / 9)
              ASSERT_EQ(sum.view().value(i), sum_of(everyone(ranks), type, count, i, order))
                  << ranks << " ranks, element " << i << " of " << count << ", order " << static_cast<int>(order);
          });
        }
      }
    }
  }
}

TEST(Collectives, AReduceScatterIsTheOwnChunkOfARing) {
  constexpr int kRanks = 3;
  run_ranks(kRanks, [](Communicator& own) {
    const Tensor chunk = reduce_scatter(own, everyone(kRanks), 0, part_of_rank(own.rank(), DType::bf16, 10));
    const Range range = chunk_of(10, own.rank(), kRanks);
    ASSERT_EQ(chunk.view().count(), range.count);
    for (int64_t i = 0; i < range.count; ++i)
      EXPECT_EQ(chunk.view().value(i), sum_of(everyone(kRanks), DType::bf16, 10, range.first + i, Order::ring));
  });
}

TEST(Collectives, GathersPartsOfDifferentLengths) {
  const std::vector<Shape> shapes{{2}, {0}, {5}};
  run_ranks(3, [&](Communicator& own) {
    const auto mine = static_cast<size_t>(own.rank());
    const auto parts = all_gather(own, everyone(3), 0, part_of_rank(own.rank(), DType::f32, shapes[mine][0]), shapes);
    for (int r = 0; r < 3; ++r) {
      const Tensor expected = part_of_rank(r, DType::f32, shapes[static_cast<size_t>(r)][0]);
      const Tensor& part = parts[static_cast<size_t>(r)];
      ASSERT_EQ(part.bytes(), expected.bytes());
      EXPECT_EQ(std::memcmp(part.view().data, expected.view().data, static_cast<size_t>(part.bytes())), 0);
    }
  });
}

TEST(Collectives, EveryRankGetsWhatWasSentToIt) {
  run_ranks(4, [](Communicator& own) {
    std::vector<Tensor> parts;
    for (int to = 0; to < 4; ++to) parts.push_back(part_of_rank(10 * own.rank() + to, DType::f32, 3));
    const auto received = all_to_all(own, everyone(4), 0, parts, std::vector<Shape>(4, Shape{3}));
    for (int from = 0; from < 4; ++from) {
      const Tensor expected = part_of_rank(10 * from + own.rank(), DType::f32, 3);
      for (int64_t i = 0; i < 3; ++i)
        EXPECT_EQ(received[static_cast<size_t>(from)].view().value(i), expected.view().value(i));
    }
  });
}

TEST(Collectives, ABroadcastGivesTheRootsValues) {
  run_ranks(3, [](Communicator& own) {
    const Tensor got = broadcast(own, everyone(3), 0, part_of_rank(own.rank(), DType::f32, 4), 2);
    EXPECT_EQ(got.view().value(3), part_of_rank(2, DType::f32, 4).view().value(3));
  });
}

}  // namespace
}  // namespace parity::ranks

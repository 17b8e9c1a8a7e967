// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Collectives between threads: the same bits as sums in the stated order, for any number of elements and ranks.
#include "ranks/collectives.hpp"

#include <cstring>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "ranks/thread_communicator.hpp"

namespace parity::ranks {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{20000};

Tensor part_of_rank(int rank, DType type, int64_t count) {
  const Random random(static_cast<uint64_t>(rank), "part");
  Tensor part(type, {count}, "H");
  for (int64_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(random.bits(static_cast<uint64_t>(i)) % 2001) - 1000.0;
    store_element(type, part.view().data + i * size_of(type), value / 7.0);
  }
  return part;
}

/// The sum of element i of all ranks' parts, in the stated order.
double sum_of(int ranks, DType type, int64_t count, int64_t i, Order order) {
  std::vector<double> terms;
  for (int r = 0; r < ranks; ++r) terms.push_back(part_of_rank(r, type, count).view().value(i));
  if (order == Order::tree) {
    while (terms.size() > 1) {
      std::vector<double> sums;
      for (size_t k = 0; k + 1 < terms.size(); k += 2) sums.push_back(round_to(type, terms[k] + terms[k + 1]));
      if (terms.size() % 2 != 0) sums.push_back(terms.back());
      terms = sums;
    }
    return terms.front();
  }
  const int64_t chunk = std::max<int64_t>((count + ranks - 1) / ranks, 1);
  const int64_t first = order == Order::ring ? i / chunk + 1 : 0;
  double total = terms[static_cast<size_t>(first % ranks)];
  for (int64_t r = 1; r < ranks; ++r) total = round_to(type, total + terms[static_cast<size_t>((first + r) % ranks)]);
  return total;
}

/// Delays a thread by a few random moments, so that messages arrive in another order in every run.
void dawdle(int rank, int step) {
  const Random random(static_cast<uint64_t>(rank), "delay");
  std::this_thread::sleep_for(std::chrono::microseconds(random.bits(static_cast<uint64_t>(step)) % 200));
}

Group everyone(int ranks) {
  Group group;
  for (int r = 0; r < ranks; ++r) group.push_back(r);
  return group;
}

TEST(Collectives, SumsHaveTheBitsOfTheirOrder) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (const DType type : {DType::f32, DType::bf16}) {
      for (const int64_t count : {0, 1, 7, 64, 1001}) {
        for (const Order order : {Order::by_rank, Order::ring, Order::tree}) {
          run_threads(ranks, kPatience, [&](Communicator& own) {
            dawdle(own.rank(), static_cast<int>(count));
            const Tensor part = part_of_rank(own.rank(), type, count);
            const Tensor sum = all_reduce(own, everyone(ranks), 3, part, order);
            for (int64_t i = 0; i < count; i += 1 + count / 9)
              ASSERT_EQ(sum.view().value(i), sum_of(ranks, type, count, i, order))
                  << ranks << " ranks, element " << i << " of " << count << ", order " << static_cast<int>(order);
          });
        }
      }
    }
  }
}

TEST(Collectives, AReduceScatterIsTheOwnChunkOfARing) {
  constexpr int kRanks = 3;
  run_threads(kRanks, kPatience, [](Communicator& own) {
    const Tensor chunk = reduce_scatter(own, everyone(kRanks), 0, part_of_rank(own.rank(), DType::bf16, 10));
    const Range range = chunk_of(10, own.rank(), kRanks);
    ASSERT_EQ(chunk.view().count(), range.count);
    for (int64_t i = 0; i < range.count; ++i)
      EXPECT_EQ(chunk.view().value(i), sum_of(kRanks, DType::bf16, 10, range.first + i, Order::ring));
  });
}

TEST(Collectives, GathersPartsOfDifferentLengths) {
  const std::vector<Shape> shapes{{2}, {0}, {5}};
  run_threads(3, kPatience, [&](Communicator& own) {
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
  run_threads(4, kPatience, [](Communicator& own) {
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
  run_threads(3, kPatience, [](Communicator& own) {
    const Tensor got = broadcast(own, everyone(3), 0, part_of_rank(own.rank(), DType::f32, 4), 2);
    EXPECT_EQ(got.view().value(3), part_of_rank(2, DType::f32, 4).view().value(3));
  });
}

/// The messages of the errors with which the ranks end.
std::vector<std::string> ends(int ranks, milliseconds patience, const std::function<void(Communicator&)>& body) {
  std::vector<std::string> messages(static_cast<size_t>(ranks));
  try {
    run_threads(ranks, patience, [&](Communicator& own) {
      try {
        body(own);
      } catch (const std::exception& error) {
        messages[static_cast<size_t>(own.rank())] = error.what();
        throw;
      }
    });
  } catch (const std::exception& error) {
    messages.emplace_back(error.what());
  }
  return messages;
}

TEST(Ranks, AllNameTheOneThatFailed) {
  const auto messages = ends(4, kPatience, [](Communicator& own) {
    if (own.rank() == 2) throw std::runtime_error("out of memory");
    static_cast<void>(all_reduce(own, everyone(4), 0, part_of_rank(own.rank(), DType::f32, 8), Order::ring));
  });
  ASSERT_EQ(messages.size(), 5U);
  for (const int rank : {0, 1, 3}) EXPECT_EQ(messages[static_cast<size_t>(rank)], "rank 2 of 4 failed: out of memory");
  EXPECT_NE(messages[4].find("out of memory"), std::string::npos);
}

TEST(Ranks, AllNameTheOneThatHangs) {
  std::latch others(3);
  const auto messages = ends(4, milliseconds(1000), [&](Communicator& own) {
    if (own.rank() == 1) return others.wait();
    try {
      static_cast<void>(all_reduce(own, everyone(4), 0, part_of_rank(own.rank(), DType::f32, 8), Order::ring));
    } catch (...) {
      others.count_down();
      throw;
    }
  });
  for (const int rank : {0, 2, 3})
    EXPECT_NE(messages[static_cast<size_t>(rank)].find("rank 1 of 4 failed"), std::string::npos)
        << messages[static_cast<size_t>(rank)];
}

}  // namespace
}  // namespace parity::ranks

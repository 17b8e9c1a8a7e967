// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Drawn sequences of collectives among drawn ranks, of every type and of sizes from nothing to 64 MiB, with ranks that
// come at drawn times: each result is what one process computes.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "ranks/testing/engines.hpp"

namespace parity::ranks {
namespace {

using namespace tests;

enum class Kind : uint64_t { sum, gather, scatter, exchange, broadcast, message, count };

struct Operation {
  Kind kind = Kind::sum;
  DType type = DType::f32;
  int64_t count = 0;
  Order order = Order::by_rank;
  Group group;
  int root = 0;  // index in the group
  int tag = 0;
};

/// Step `step` of the sequence that a seed draws: the same on all ranks.
Operation drawn(uint64_t seed, uint64_t step) {
  const Random random(seed, step);
  auto below = [&, draw = uint64_t{0}](uint64_t limit) mutable { return random.below(draw++, limit); };
  constexpr std::array kTypes{DType::f32, DType::bf16, DType::f64};
  constexpr std::array<int64_t, 10> kCounts{0, 1, 2, 3, 7, 8, 63, 255, 1000, 4097};
  constexpr std::array kOrders{Order::by_rank, Order::ring, Order::tree, Order::gloo};
  Operation operation;
  operation.kind = static_cast<Kind>(below(static_cast<uint64_t>(Kind::count)));
  operation.type = kTypes[below(kTypes.size())];
  operation.count = kCounts[below(kCounts.size())];
  operation.order = kOrders[below(kOrders.size())];
  for (const int rank : everyone(kMostRanks)) {
    if (below(2) == 0) operation.group.push_back(rank);
  }
  if (operation.group.empty()) operation.group.push_back(static_cast<int>(below(kMostRanks)));
  operation.root = static_cast<int>(below(operation.group.size()));
  operation.tag = static_cast<int>(below(4));  // few, so that messages of several steps wait under one
  return operation;
}

void expect_part(const Tensor& got, int rank, const Operation& of) {
  const Tensor expected = part_of_rank(rank, of.type, of.count);
  ASSERT_EQ(got.bytes(), expected.bytes());
  EXPECT_TRUE(std::equal(got.view().data, got.view().data + got.bytes(), expected.view().data));
}

void expect_sums(const Tensor& got, Range of_all, const Operation& of, Order order) {
  ASSERT_EQ(got.view().count(), of_all.count);
  for (int64_t i = 0; i < of_all.count; i += 1 + of_all.count / 11)
    ASSERT_EQ(got.view().value(i), sum_of(of.group, of.type, of.count, of_all.first + i, order));
}

/// Element `to` of what rank `from` sends to everybody.
Tensor addressed(int from, int to, const Operation& of) { return part_of_rank(100 * from + to, of.type, of.count); }

void exchange(Communicator& own, const Operation& of) {
  std::vector<Tensor> parts;
  for (const int to : of.group) parts.push_back(addressed(own.rank(), to, of));
  const auto got = all_to_all(own, of.group, of.tag, parts, std::vector<Shape>(of.group.size(), Shape{of.count}));
  for (size_t i = 0; i < got.size(); ++i) expect_part(got[i], 100 * of.group[i] + own.rank(), of);
}

/// From the root to the last of the group.
void message(Communicator& own, const Operation& of) {
  const int from = of.group[static_cast<size_t>(of.root)], to = of.group.back();
  const Tensor sent = part_of_rank(from, of.type, of.count);
  const auto size = static_cast<size_t>(sent.bytes());
  if (own.rank() == from) own.send(to, of.tag, {sent.view().data, size});
  if (own.rank() != to) return;
  const Tensor got = Tensor::unwritten(of.type, {of.count}, "H");
  own.receive(from, of.tag, {got.view().data, size});
  expect_part(got, from, of);
}

void run(Communicator& own, const Operation& of) {
  const Tensor part = part_of_rank(own.rank(), of.type, of.count);
  const std::vector<Shape> shapes(of.group.size(), Shape{of.count});
  switch (of.kind) {
    case Kind::sum:
      return expect_sums(all_reduce(own, of.group, of.tag, part, of.order), {0, of.count}, of, of.order);
    case Kind::gather: {
      const auto got = all_gather(own, of.group, of.tag, part, shapes);
      for (size_t i = 0; i < got.size(); ++i) expect_part(got[i], of.group[i], of);
      return;
    }
    case Kind::scatter: {
      const auto seat = std::find(of.group.begin(), of.group.end(), own.rank()) - of.group.begin();
      const Range chunk = chunk_of(of.count, seat, static_cast<int64_t>(of.group.size()));
      return expect_sums(reduce_scatter(own, of.group, of.tag, part), chunk, of, Order::ring);
    }
    case Kind::exchange:
      return exchange(own, of);
    case Kind::broadcast:
      return expect_part(broadcast(own, of.group, of.tag, part, of.root), of.group[static_cast<size_t>(of.root)], of);
    default:
      return message(own, of);
  }
}

TEST(RandomCollectives, GiveWhatOneProcessComputes) {
  constexpr uint64_t kSeeds = 4, kSteps = 60;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    run_ranks(kMostRanks, [&](Communicator& own) {
      for (uint64_t step = 0; step < kSteps; ++step) {
        const Operation operation = drawn(seed, step);
        const auto& group = operation.group;
        if (std::find(group.begin(), group.end(), own.rank()) == group.end()) continue;
        dawdle(own.rank(), static_cast<int>(seed * kSteps + step));
        SCOPED_TRACE(fmt::format("seed {}, step {}, kind {}", seed, step, static_cast<int>(operation.kind)));
        run(own, operation);
      }
    });
  }
}

/// Every rank sends one message under each of many tags, and takes those of the others in its own order.
TEST(RandomCollectives, MessagesAreFoundByTheirTagInAnyOrder) {
  constexpr int kTags = 30;
  run_ranks(kMostRanks, [](Communicator& own) {
    std::vector<std::pair<int, int>> all;  // rank, tag
    for (const int other : everyone(kMostRanks)) {
      for (int tag = 0; tag < kTags; ++tag) all.emplace_back(other, tag);
    }
    const auto shuffled = [&](const char* what) {
      const Random random(static_cast<uint64_t>(own.rank()), what);
      auto order = all;
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
      return order;
    };
    for (const auto& [to, tag] : shuffled("send")) {
      const int32_t value = 1000 * own.rank() + tag;
      own.send(to, tag, std::as_bytes(std::span(&value, 1)));
    }
    for (const auto& [from, tag] : shuffled("receive")) {
      int32_t value = -1;
      own.receive(from, tag, std::as_writable_bytes(std::span(&value, 1)));
      ASSERT_EQ(value, 1000 * from + tag);
    }
  });
}

TEST(RandomCollectives, TakeSixtyFourMebibytes) {
  constexpr int64_t kCount = int64_t{16} << 20;  // of binary32
  Operation large{Kind::sum, DType::f32, kCount, Order::ring, everyone(2), 0, 1};
  run_ranks(2, [&](Communicator& own) { run(own, large); });
  large.order = Order::tree;
  large.group = {0, 1, 2};
  run_ranks(3, [&](Communicator& own) { run(own, large); });
  large.kind = Kind::broadcast;
  large.group = everyone(4);
  large.root = 2;
  run_ranks(4, [&](Communicator& own) { run(own, large); });
  large.kind = Kind::message;
  run_ranks(4, [&](Communicator& own) { run(own, large); });
}

}  // namespace
}  // namespace parity::ranks

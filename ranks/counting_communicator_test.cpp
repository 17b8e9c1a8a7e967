// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What collectives between threads send is what their formulas say.
#include "ranks/counting_communicator.hpp"

#include <mutex>

#include <gtest/gtest.h>

#include "ranks/testing/engines.hpp"
#include "ranks/thread_communicator.hpp"
#include "ranks/traffic.hpp"

namespace parity::ranks {
namespace {

using tests::everyone;
using tests::kPatience;

/// What each rank sends in `body`, over all tags and receivers.
template <class Body>
std::vector<Traffic> sent_in(int ranks, const Body& body) {
  std::vector<Traffic> result(static_cast<size_t>(ranks));
  std::mutex mutex;
  run_threads(ranks, kPatience, [&](Communicator& own) {
    CountingCommunicator counted(own);
    body(counted);
    const std::scoped_lock lock(mutex);
    for (const auto& [link, sent] : counted.sent())
      result[static_cast<size_t>(own.rank())] += {sent.messages, sent.bytes};
  });
  return result;
}

TEST(CountingCommunicator, SumsSendWhatTheirFormulaSays) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (const int64_t count : {0, 1, 7, 64, 1001}) {
      for (const Order order : {Order::by_rank, Order::ring, Order::tree, Order::gloo}) {
        const auto sent = sent_in(ranks, [&](Communicator& own) {
          static_cast<void>(all_reduce(own, everyone(ranks), 3, Tensor(DType::bf16, {count}, "H"), order));
        });
        for (int member = 0; member < ranks; ++member) {
          const Traffic expected = all_reduce_traffic(member, ranks, count, 2, order);
          EXPECT_EQ(sent[static_cast<size_t>(member)].bytes, expected.bytes)
              << ranks << " ranks, " << count << " elements, order " << static_cast<int>(order);
          EXPECT_EQ(sent[static_cast<size_t>(member)].messages, expected.messages);
        }
      }
    }
  }
}

TEST(CountingCommunicator, GatheringSendsEveryPartToAllOthers) {
  const auto sent = sent_in(4, [&](Communicator& own) {
    static_cast<void>(all_gather(own, everyone(4), 3, Tensor(DType::f32, {5}, "H"), std::vector<Shape>(4, Shape{5})));
  });

  for (const Traffic& each : sent) EXPECT_EQ(each.bytes, all_gather_traffic(4, 20).bytes);
}

TEST(CountingCommunicator, KeepsTagsAndReceiversApart) {
  run_threads(2, kPatience, [](Communicator& own) {
    CountingCommunicator counted(own);
    std::vector<std::byte> bytes(3);
    const int other = 1 - own.rank();
    counted.send(other, 7, bytes);
    counted.send(other, 7, bytes);
    counted.send(other, 8, {bytes.data(), 1});
    for (int i = 0; i < 2; ++i) counted.receive(other, 7, bytes);
    counted.receive(other, 8, {bytes.data(), 1});

    ASSERT_EQ(counted.sent().size(), 2U);
    EXPECT_EQ(counted.sent().at({7, other}).messages, 2);
    EXPECT_EQ(counted.sent().at({7, other}).bytes, 6);
    EXPECT_EQ(counted.sent().at({8, other}).bytes, 1);
  });
}

}  // namespace
}  // namespace parity::ranks

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Threads of which one fails or hangs: all others name it.
#include "ranks/thread_communicator.hpp"

#include <latch>

#include <gtest/gtest.h>

#include "ranks/testing/engines.hpp"

namespace parity::ranks {
namespace {

using namespace tests;
using std::chrono::milliseconds;

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

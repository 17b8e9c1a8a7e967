// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sums of threads by NCCL, whose stand-in adds in the order of a ring; and what is said where there is no NCCL.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/collectives.hpp"
#include "ranks/nccl_communicator.hpp"
#include "ranks/nccl_library.hpp"
#include "ranks/testing/engines.hpp"
#include "ranks/thread_communicator.hpp"

namespace parity::ranks {
namespace {

using namespace tests;
using ::testing::HasSubstr;

/// ctest runs ranks.nccl with the stand-in, and ranks without.
bool has_nccl() { return std::getenv("PARITY_NCCL_STAND_IN") != nullptr; }

TEST(Nccl, SaysWhatToDoWhereItIsNot) {
  if (has_nccl()) {
    EXPECT_EQ(nccl_version(), "NCCL 2.28.3");
    return;
  }
  try {
    EXPECT_THAT(nccl_version(), HasSubstr("NCCL "));  // this machine has it
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
    EXPECT_THAT(error.what(), HasSubstr("libnccl.so.2 cannot be loaded; install it"));
  }
}

TEST(NcclStandIn, AddsForEveryGroupAndType) {
  if (!has_nccl()) return;
  for (const DType type : {DType::f32, DType::bf16, DType::f64}) {
    for (const int64_t count : {0, 1, 7, 1000}) {
      run_threads(4, kPatience, [&](Communicator& own) {
        NcclCommunicator communicator(own, host());
        for (const Group& group : {Group{0, 1, 2, 3}, own.rank() < 2 ? Group{0, 1} : Group{2, 3}}) {
          const Tensor part = part_of_rank(own.rank(), type, count);
          for (int again = 0; again < 2; ++again) {
            const Tensor sum = all_reduce(communicator, group, 5, part, Order::by_rank);
            for (int64_t i = 0; i < count; i += 1 + count / 9)
              ASSERT_EQ(sum.view().value(i), sum_of(group, type, count, i, Order::ring));
          }
        }
      });
    }
  }
}

TEST(NcclStandIn, RanksThatAddDifferentThingsAreRefused) {
  if (!has_nccl()) return;
  EXPECT_THROW(run_threads(2, kPatience,
                           [](Communicator& own) {
                             NcclCommunicator communicator(own, host());
                             const Tensor part = part_of_rank(own.rank(), DType::f32, 4 + own.rank());
                             static_cast<void>(all_reduce(communicator, {0, 1}, 0, part, Order::ring));
                           }),
               Error);
}

TEST(NcclStandIn, MessagesAreThoseOfTheOtherRanks) {
  if (!has_nccl()) return;
  run_threads(2, kPatience, [](Communicator& own) {
    NcclCommunicator communicator(own, host());
    const Tensor got = broadcast(communicator, {0, 1}, 0, part_of_rank(own.rank(), DType::i64, 3), 1);
    EXPECT_EQ(got.i64()[2], part_of_rank(1, DType::i64, 3).i64()[2]);
  });
}

}  // namespace
}  // namespace parity::ranks

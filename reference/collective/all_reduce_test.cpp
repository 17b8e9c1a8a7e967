// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sums over ranks by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(AllReduce, RoundsToTheTypeThatRanksExchange) {
  TestCall call("all_reduce");
  call.in("parts", {1, 2}, {256, 1}).in("parts", {1, 2}, {1, -1}).out("out", {1, 2});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(256, 0));
  EXPECT_THAT(call.oracle(DType::f32)["out"], ElementsAre(257, 0));
}

/// Four ranks hold 256, 1, 1 and 1 of every element: in bf16, 256 + 1 is 256, and 256 + 2 is 258.
TestCall four_ranks(int64_t order) {
  TestCall call("all_reduce");
  for (const double part : {256.0, 1.0, 1.0, 1.0}) call.in("parts", {1, 4}, {part, part, part, part});
  call.param("order", order).out("out", {1, 4});
  return call;
}

TEST(AllReduce, AddsInOrderOfRank) {
  EXPECT_THAT(four_ranks(0).oracle(DType::bf16)["out"], ElementsAre(256, 256, 256, 256));
}

TEST(AllReduce, ARingStartsEachChunkAtTheNextRank) {
  // 1 + 1 + 1 + 256, 1 + 1 + 256 + 1, 1 + 256 + 1 + 1, 256 + 1 + 1 + 1; ties become the even neighbour: 259 is 260.
  EXPECT_THAT(four_ranks(1).oracle(DType::bf16)["out"], ElementsAre(260, 260, 256, 256));
}

TEST(AllReduce, AChunkOfGlooIsOfWholeEightBytesAndGoesDown) {
  // Of four ranks each, one element of bf16 would do; a chunk has four. It begins with rank 3 and ends with rank 0.
  EXPECT_THAT(four_ranks(3).oracle(DType::bf16)["out"], ElementsAre(260, 260, 260, 260));
  // Chunks of two in binary32: 2^24 + 1 is 2^24. Chunk 0 goes 3, 2, 1, 0; chunk 1 goes 0, 3, 2, 1.
  TestCall call("all_reduce");
  for (const double part : {0x1p24, 1.0, 1.0, 1.0}) call.in("parts", {1, 4}, {part, part, part, part});
  call.param("order", 3).out("out", {1, 4});
  EXPECT_THAT(call.oracle(DType::f32)["out"], ElementsAre(0x1p24 + 4, 0x1p24 + 4, 0x1p24, 0x1p24));
}

TEST(AllReduce, ATreeAddsNeighboursFirst) {
  EXPECT_THAT(four_ranks(2).oracle(DType::bf16)["out"], ElementsAre(258, 258, 258, 258));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Own rows of sums over ranks by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Four ranks hold 256, 1, 1 and 1 of every element of four rows; the rank has rows 2 and 3.
TestCall own_rows(int64_t order) {
  TestCall call("reduce_scatter");
  for (const double part : {256.0, 1.0, 1.0, 1.0}) call.in("parts", {4, 1}, {part, part, part, part});
  call.param("order", order).param("first_row", int64_t{2}).out("out", {2, 1});
  return call;
}

TEST(ReduceScatter, ReadsItsRowsOfEveryPart) {
  TestCall call("reduce_scatter");
  call.in("parts", {3, 2}, {1, 2, 3, 4, 5, 6}).in("parts", {3, 2}, {10, 20, 30, 40, 50, 60});
  call.param("first_row", int64_t{1}).out("out", {1, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(33, 44));
}

TEST(ReduceScatter, AddsInOrderOfRank) {
  EXPECT_THAT(own_rows(0).oracle(DType::bf16)["out"], ElementsAre(256, 256));  // 256 + 1 is 256
}

TEST(ReduceScatter, AddsInTheOrderOfTheWholeSum) {
  // Of all_reduce, elements 2 and 3 are 1 + 256 + 1 + 1 and 256 + 1 + 1 + 1 in a ring.
  TestCall all("all_reduce");
  for (const double part : {256.0, 1.0, 1.0, 1.0}) all.in("parts", {4, 1}, {part, part, part, part});
  all.param("order", int64_t{1}).out("out", {4, 1});

  const auto whole = all.oracle(DType::bf16)["out"], own = own_rows(1).oracle(DType::bf16)["out"];

  EXPECT_THAT(own, ElementsAre(whole[2], whole[3]));
  EXPECT_THAT(own_rows(2).oracle(DType::bf16)["out"], ElementsAre(258, 258));
}

TEST(ReduceScatter, RefusesRowsThatNoPartHas) {
  TestCall call = own_rows(0);
  call.param("first_row", int64_t{3});
  ErrorCode code{};

  EXPECT_THAT(error_of(code, [&] { static_cast<void>(call.exact()); }),
              HasSubstr("rows 3 to 5 are outside of parts with 4 rows"));
}

}  // namespace
}  // namespace parity::reference

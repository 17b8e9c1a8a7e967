// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Edits of caches by hand: one head, one channel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// An edit of two rows with three slots, 1 2 3 and 4 5 6, to the given numbers of rows and slots.
TestCall edit(int64_t rows, int64_t slots) {
  TestCall call("cache_edit");
  call.in("past", {2, 1, 3, 1}, {1, 2, 3, 4, 5, 6}).out("out", {rows, 1, slots, 1});
  return call;
}

TEST(CacheEdit, ReordersRows) {
  EXPECT_THAT(edit(2, 3).ids("rows", {2}, {1, 0}).exact()["out"], ElementsAre(4, 5, 6, 1, 2, 3));
}

TEST(CacheEdit, SelectsAndRepeatsRows) {
  EXPECT_THAT(edit(1, 3).ids("rows", {1}, {1}).exact()["out"], ElementsAre(4, 5, 6));
  EXPECT_THAT(edit(3, 3).ids("rows", {3}, {0, 0, 1}).exact()["out"], ElementsAre(1, 2, 3, 1, 2, 3, 4, 5, 6));
}

TEST(CacheEdit, CropsTheLastSlots) {
  EXPECT_THAT(edit(2, 2).exact()["out"], ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(edit(1, 1).ids("rows", {1}, {1}).exact()["out"], ElementsAre(4));
}

TEST(CacheEdit, RefusesRowsAndSlotsThatAreNotThere) {
  ErrorCode code{};
  EXPECT_THAT(error_of(code, [] { (void)edit(1, 3).ids("rows", {1}, {2}).exact(); }),
              HasSubstr("row 2 is asked for, but the cache has 2"));
  EXPECT_EQ(code, ErrorCode::schema);
  EXPECT_THAT(error_of(code, [] { (void)edit(2, 4).exact(); }), HasSubstr("4 slots are to be kept, but there are 3"));
}

}  // namespace
}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Paged caches by hand: pages of two slots, one channel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A view of three pages, 1 2, 3 4 and 5 6, with `slots` slots for every sequence of the table.
TestCall view(const Shape& table, const std::vector<int64_t>& entries, int64_t slots) {
  TestCall call("paged_view");
  call.in("pages", {3, 1, 2, 1}, {1, 2, 3, 4, 5, 6}).ids("table", table, entries);
  call.param("page_size", int64_t{2}).out("out", {table[0], 1, slots, 1});
  return call;
}

TEST(PagedView, JoinsPagesInTheOrderOfTheTable) {
  EXPECT_THAT(view({1, 3}, {2, 0, 1}, 6).exact()["out"], ElementsAre(5, 6, 1, 2, 3, 4));
}

TEST(PagedView, ReadsThePagesOfEverySequence) {
  EXPECT_THAT(view({2, 2}, {1, 0, 1, 2}, 4).exact()["out"], ElementsAre(3, 4, 1, 2, 3, 4, 5, 6));  // page 1 is shared
}

TEST(PagedView, PagesMayLieAnywhere) {
  TestCall moved = view({2, 2}, {2, 1, 2, 0}, 4);
  moved.forget("pages").in("pages", {3, 1, 2, 1}, {5, 6, 1, 2, 3, 4});  // page 0 to 1, 1 to 2, 2 to 0

  EXPECT_EQ(moved.exact()["out"], view({2, 2}, {1, 0, 1, 2}, 4).exact()["out"]);
}

TEST(PagedView, LeavesTheRestOfTheLastPageAndUnusedEntries) {
  EXPECT_THAT(view({1, 3}, {2, 1, -1}, 3).exact()["out"], ElementsAre(5, 6, 3));
}

TEST(PagedView, KeepsHeadsAndChannelsApart) {
  TestCall call("paged_view");
  call.in("pages", {2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}).ids("table", {1, 2}, {1, 0});
  call.param("page_size", int64_t{1}).out("out", {1, 2, 2, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(5, 6, 1, 2, 7, 8, 3, 4));
}

TEST(PagedView, MovesBitsWithoutABound) {
  const auto out = view({1, 1}, {1}, 2).bounded();

  EXPECT_THAT(out.rounding.at("out").f64()[0], 0.0);
  EXPECT_THAT(out.noise.at("out").f64()[0], 0.0);
}

TEST(PagedView, RefusesPagesThatAreNotThere) {
  ErrorCode code{};
  const auto refusal = [&](const TestCall& call) { return error_of(code, [&] { (void)call.exact(); }); };

  EXPECT_THAT(refusal(view({1, 2}, {0, 3}, 3)), HasSubstr("slot 2 of sequence 0 is in page 3, but there are 3"));
  EXPECT_EQ(code, ErrorCode::schema);
  EXPECT_THAT(refusal(view({1, 2}, {0, -1}, 3)), HasSubstr("page -1, but there are 3"));
  EXPECT_THAT(refusal(view({1, 1}, {0}, 3)), HasSubstr("3 slots are needed, but there are 1 pages of 2"));
  EXPECT_THAT(refusal(view({1, 1}, {0}, 2).param("page_size", int64_t{4})),
              HasSubstr("pages of 2 slots are read with page size 4"));
}

}  // namespace
}  // namespace parity::reference

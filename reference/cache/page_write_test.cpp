// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writing into pages by hand: pages of two slots, one channel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/refusal.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TestCall write(int64_t filled, const Shape& table, const std::vector<int64_t>& entries) {
  TestCall call("page_write");
  call.param("page_size", int64_t{2}).param("filled", filled).ids("table", table, entries);
  return call;
}

TEST(PageWrite, TheFirstCallFillsThePagesOfEverySequence) {
  TestCall call = write(0, {2, 2}, {2, 0, 1, 3});
  call.in("fresh", {2, 1, 3, 1}, {1, 2, 3, 4, 5, 6}).out("out", {4, 1, 2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(3, 0, 4, 5, 1, 2, 6, 0));
}

TEST(PageWrite, LaterCallsWriteBehindTheFilledSlotsAndKeepTheRest) {
  TestCall call = write(1, {1, 2}, {1, 0});
  call.in("past", {2, 1, 2, 1}, {7, 8, 1, 9}).in("fresh", {1, 1, 2, 1}, {2, 3}).out("out", {2, 1, 2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(3, 8, 1, 2));
}

TEST(PageWrite, KeepsHeadsAndChannelsApart) {
  TestCall call = write(1, {1, 1}, {0});
  call.in("fresh", {1, 2, 1, 2}, {1, 2, 3, 4}).out("out", {1, 2, 2, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(0, 0, 1, 2, 0, 0, 3, 4));
}

TEST(PageWrite, RefusesWhatTheTableDoesNotReach) {
  TestCall call = write(1, {1, 1}, {0});
  call.in("fresh", {1, 1, 2, 1}, {1, 2}).out("out", {1, 1, 2, 1});
  EXPECT_THAT(refusal_of(ErrorCode::schema, [&] { return call.exact(); }), HasSubstr("slots 1 to 2 do not fit into 1"));

  TestCall fewer = write(1, {1, 2}, {1, 0});
  fewer.in("past", {1, 1, 2, 1}, {7, 8}).in("fresh", {1, 1, 1, 1}, {2}).out("out", {2, 1, 2, 1});
  EXPECT_THAT(refusal_of(ErrorCode::schema, [&] { return fewer.exact(); }), HasSubstr("differ in shape"));

  TestCall nowhere = write(0, {1, 1}, {4});
  nowhere.in("fresh", {1, 1, 1, 1}, {1}).out("out", {1, 1, 2, 1});
  EXPECT_THAT(refusal_of(ErrorCode::schema, [&] { return nowhere.exact(); }),
              HasSubstr("is in page 4, but there are 1"));
}

}  // namespace
}  // namespace parity::reference

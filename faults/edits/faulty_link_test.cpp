// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/faulty_link.hpp"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/thread_communicator.hpp"
#include "replay/ranks/ranked_run.hpp"

namespace parity::faults {
namespace {

using ::testing::ElementsAre;
using Floats = std::vector<float>;

constexpr std::chrono::seconds kPatience{20};

Plan three_taps() {
  Plan plan;
  for (const char* tap : {"ranks/00/x", "ranks/01/x", "ranks/02/x"}) plan.taps[tap] = {"S", {4}};
  return plan;
}

/// What rank 2 receives from ranks 0 and 1, if rank r sends {r + 1, ...}.
std::pair<Floats, Floats> received(const FaultyMessage& fault) {
  const Plan plan = three_taps();
  const auto tags = replay::message_tags(plan);
  std::pair<Floats, Floats> result{Floats(4), Floats(4)};
  ranks::run_threads(3, kPatience, [&](ranks::Communicator& own) {
    const auto link = faulty_link(own, plan, {fault});
    const int rank = link->rank();
    const float first = static_cast<float>(rank) + 1.0F;
    const Floats sent{first, 2.0F * first, 3.0F * first, 4.0F * first};
    if (rank < 2) return link->send(2, tags.at(rank_prefix(rank) + "x"), std::as_bytes(std::span(sent)));
    link->receive(0, tags.at("ranks/00/x"), std::as_writable_bytes(std::span(result.first)));
    link->receive(1, tags.at("ranks/01/x"), std::as_writable_bytes(std::span(result.second)));
  });
  return result;
}

FaultyMessage from_0_to_2(const std::string& how) { return {how, 0, 2, 1, "ranks/00/x", "ranks/01/x", DType::f32}; }

TEST(FaultyLink, OtherMessagesArriveAsTheyWereSent) {
  EXPECT_THAT(received(from_0_to_2("zero")).second, ElementsAre(2, 4, 6, 8));
}

TEST(FaultyLink, AMessageArrivesInEveryWay) {
  EXPECT_THAT(received(from_0_to_2("zero")).first, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(received(from_0_to_2("shifted")).first, ElementsAre(4, 1, 2, 3));
  EXPECT_THAT(received(from_0_to_2("truncated")).first, ElementsAre(1, 2, 0, 0));
  EXPECT_THAT(received(from_0_to_2("negated")).first, ElementsAre(-1, -2, -3, -4));
  EXPECT_THAT(received(from_0_to_2("other")).first, ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(received(from_0_to_2("stale")).first, ElementsAre(1, 2, 3, 4));  // nothing came before
}

TEST(FaultyLink, TwoMessagesAreExchanged) {
  const auto [first, second] = received(from_0_to_2("exchanged"));
  EXPECT_THAT(first, ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(second, ElementsAre(1, 2, 3, 4));
}

TEST(FaultyLink, AMessageThatCameBeforeArrivesAgain) {
  const auto [first, second] = received({"other", 1, 2, 0, "ranks/01/x", "ranks/00/x", DType::f32});
  EXPECT_THAT(first, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(second, ElementsAre(1, 2, 3, 4));
}

TEST(FaultyLink, OneBitChangesOneElement) {
  for (const char* how : {"bit", "mantissa_bit", "last_bit"}) {
    const Floats got = received(from_0_to_2(how)).first;
    const Floats sent{1, 2, 3, 4};
    int changed = 0;
    for (size_t i = 0; i < sent.size(); ++i) changed += got[i] != sent[i] ? 1 : 0;
    EXPECT_EQ(changed, 1) << how;
  }
}

}  // namespace
}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/token_edits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/sharding/rank_names.hpp"

namespace parity::faults {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kTokens = 20;  // in 2 x 2 chunks of 5: rank 0 has [0, 5) and [15, 20), rank 1 [5, 15)

void add_cut(Plan& plan, const std::string& tap, const Range& own) {
  TapInfo info{"S", {own.count}, TapType::working, static_cast<int>(plan.nodes.size())};
  info.part = Part{"x", "S", {kTokens}, {{kTokens}, {{own}}}};
  plan.taps[tap] = info;
  Node node;
  node.component = "gather";
  node.params["first_slot"] = own.first;
  node.outputs["out"] = {Operand::Kind::tap, tap, ""};
  plan.nodes.push_back(node);
}

/// Where the cuts of rank 0's two chunks and of rank 1's one begin after the edit.
std::vector<int64_t> slots_after(const std::string& how) {
  Plan plan;
  add_cut(plan, "ranks/00/x_run_0", {0, 5});
  add_cut(plan, "ranks/00/x_run_1", {15, 5});
  add_cut(plan, "ranks/01/x", {5, 10});
  std::vector<int64_t> slots;
  for (Node node : plan.nodes) {
    make_slot_edit({RankEdit::Kind::slot, "first_slot", "", how}, plan, node);
    slots.push_back(std::get<int64_t>(node.params.at("first_slot")));
  }
  return slots;
}

TEST(TokenEdits, LocalSlotsCountWithinTheRank) { EXPECT_THAT(slots_after("local"), ElementsAre(0, 5, 0)); }

TEST(TokenEdits, ContiguousChunksFollowEachOther) { EXPECT_THAT(slots_after("contiguous"), ElementsAre(0, 5, 5)); }

TEST(TokenEdits, ExchangedChunksAreTheOtherWayRound) { EXPECT_THAT(slots_after("exchanged"), ElementsAre(15, 0, 5)); }

TEST(TokenEdits, TheNextChunkIsTheOneBeforeAtTheEnd) { EXPECT_THAT(slots_after("next"), ElementsAre(5, 10, 0)); }

TEST(TokenEdits, SlotsOfEarlierCallsStayBefore) {
  Plan plan;
  add_cut(plan, "ranks/00/x", {5, 10});
  Node node = plan.nodes.front();
  node.params["first_slot"] = int64_t{105};  // 100 tokens of earlier calls
  make_slot_edit({RankEdit::Kind::slot, "first_slot", "", "local"}, plan, node);

  EXPECT_EQ(std::get<int64_t>(node.params.at("first_slot")), 100);
}

TEST(TokenEdits, AnUnknownSlotOrNumberingIsRefused) {
  Plan plan;
  add_cut(plan, "ranks/00/x", {5, 10});
  Node node = plan.nodes.front();
  EXPECT_THROW(make_slot_edit({RankEdit::Kind::slot, "slot", "", "local"}, plan, node), Error);
  EXPECT_THROW(make_slot_edit({RankEdit::Kind::slot, "first_slot", "", "globally"}, plan, node), Error);
}

TEST(TokenEdits, PartsAreJoinedByRankOrReversed) {
  Node node;
  for (const char* tap : {"ranks/00/x_run_0", "ranks/01/x", "ranks/00/x_run_1"})
    node.inputs["parts"].push_back({Operand::Kind::tap, tap, ""});
  const auto names = [](const Node& joined) {
    std::vector<std::string> result;
    for (const Operand& part : joined.inputs.at("parts")) result.push_back(part.name);
    return result;
  };
  Node by_rank = node, reversed = node;
  make_order_edit({RankEdit::Kind::order, "parts", "", "ranks"}, by_rank);
  make_order_edit({RankEdit::Kind::order, "parts", "", "reversed"}, reversed);

  EXPECT_THAT(names(by_rank), ElementsAre("ranks/00/x_run_0", "ranks/00/x_run_1", "ranks/01/x"));
  EXPECT_THAT(names(reversed), ElementsAre("ranks/00/x_run_1", "ranks/01/x", "ranks/00/x_run_0"));
  EXPECT_THROW(make_order_edit({RankEdit::Kind::order, "parts", "", "sideways"}, node), Error);
}

}  // namespace
}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/spans/plan_work.hpp"

#include <gtest/gtest.h>

#include "core/components/experts/moe_experts.hpp"
#include "core/components/linear/linear.hpp"

namespace parity::replay {
namespace {

Operand tap(const std::string& name, const std::string& axes = "") { return {Operand::Kind::tap, name, axes}; }

Registry components() {
  Registry registry;
  registry.add<Linear>("reference", "rounded", nullptr);  // never run
  registry.add<MoeExperts>("reference", "rounded", nullptr);
  return registry;
}

/// Two sequences of three tokens of width 8 in bf16.
Plan plan_of_tokens() {
  Plan plan;
  plan.working = DType::bf16;
  plan.sizes[0] = {{'B', 2}, {'S', 3}, {'H', 8}, {'F', 5}, {'E', 4}, {'T', 2}, {'A', 2}, {'D', 5}};
  plan.taps["x"] = {"B,S,H", {2, 3, 8}, TapType::working, -1};
  return plan;
}

TEST(PlanWork, OfAProductIsThatOfItsOperands) {
  Plan plan = plan_of_tokens();
  plan.taps["y"] = {"B,S,AD", {2, 3, 10}, TapType::working, 0};
  plan.weights["w"] = {{"w"}, {10, 8}};
  Node node;
  node.component = "linear";
  node.inputs = {{"x", {tap("x")}}, {"weight", {{Operand::Kind::weight, "w", "AD,H"}}}};
  node.outputs = {{"out", tap("y")}};

  const PlanWork work = work_of(plan, node, components());

  EXPECT_EQ(work.flops, 2 * 6 * 8 * 10);  // not F of the plan, which is another layer's
  EXPECT_EQ(work.weights, 2 * 80);
  EXPECT_EQ(work.read, 2 * 48);
  EXPECT_EQ(work.written, 2 * 60);
}

PlanWork work_of_experts(int64_t tokens, int64_t members) {
  Plan plan = plan_of_tokens();
  plan.sizes[0]['B'] = 1;
  plan.sizes[0]['S'] = tokens;
  plan.taps = {{"x", {"N,H", {tokens, 8}, TapType::working, -1}},
               {"ids", {"N,T", {tokens, 2}, TapType::index, -1}},
               {"weights", {"N,T", {tokens, 2}, TapType::single, -1}},
               {"slots", {"N,T,F", {tokens, 2, 5}, TapType::working, 0}},
               {"y", {"N,H", {tokens, 8}, TapType::working, 0}}};
  plan.weights["up"] = {{"{}.up"}, {10, 8}, members};
  plan.weights["down"] = {{"{}.down"}, {8, 5}, members};
  Node node;
  node.component = "moe_experts";
  node.inputs = {{"x", {tap("x")}},
                 {"indices", {tap("ids")}},
                 {"weights", {tap("weights")}},
                 {"gate_up", {{Operand::Kind::bank, "up", "2F,H"}}},
                 {"down", {{Operand::Kind::bank, "down", "H,F"}}}};
  node.outputs = {{"out", tap("y")}, {"slot_activation", tap("slots")}};
  return work_of(plan, node, components());
}

TEST(PlanWork, OfExpertsIsThatOfTheChosenOnes) {
  const PlanWork all = work_of_experts(3, 4);

  EXPECT_EQ(all.flops, 6.0 * 3 * 2 * 8 * 5);
  EXPECT_EQ(all.weights, 2.0 * 4 * (80 + 40)) << "six choices reach all four";
  EXPECT_EQ(all.written, 2.0 * 3 * 8) << "the activations of slots are optional";
  EXPECT_EQ(work_of_experts(1, 4).weights, 2.0 * 2 * (80 + 40)) << "two choices reach two";
}

TEST(PlanWork, OfAQuarterOfTheExpertsIsAQuarter) {
  const PlanWork work = work_of_experts(8, 1);

  EXPECT_EQ(work.flops, 6.0 * 8 * 2 * 8 * 5 / 4);
  EXPECT_EQ(work.weights, 2.0 * (80 + 40));
  EXPECT_EQ(work_of_experts(1, 1).flops, 6.0 * 8 * 5) << "the busiest of the ranks has a choice";
}

}  // namespace
}  // namespace parity::replay

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/fused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fusions/add_norm.hpp"
#include "core/fusions/norm_rope.hpp"
#include "core/plans/tiny/tiny_m3.hpp"
#include "reference/reference.hpp"

namespace parity::replay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

constexpr const char* kLayer = "steps/000/text/layers/01/";
std::string at(const std::string& name) { return kLayer + name; }

template <class F>
void nothing(const typename F::Inputs&, const typename F::Params&, const typename F::Outputs&, Context&) {}

/// Returns kernels of three chains, which are never run.
Fusions fusions() {
  Fusions built;
  built.add<NormRope>("mine", "f32", &nothing<NormRope>);
  built.add<NormRopeAppend>("mine", "f32", &nothing<NormRopeAppend>);
  built.add<AddNorm>("mine", "f32", &nothing<AddNorm>);
  return built;
}

FusedPlan fused(const Plan& plan, const std::function<bool(const std::string&)>& recorded) {
  const Fusions built = fusions();
  return replay::fused(plan, reference::registry(), {built, "mine", "f32"}, recorded);
}
FusedPlan fused(const Plan& plan) {
  return fused(plan, [](const std::string&) { return true; });
}

Plan tiny() { return build_m3_text_plan(tiny_m3(), two_calls()); }
Node& edited(Plan& plan, const std::string& prefix) { return const_cast<Node&>(node_at(plan, prefix)); }

/// Returns the chain that ends in the node. Without one, the result has no nodes.
FusedChain ending_at(const FusedPlan& plan, const std::string& node) {
  for (const FusedChain& chain : plan.chains) {
    if (chain.nodes.back() == node) return chain;
  }
  return {};
}

TEST(Fused, OneNodeStandsForTheChain) {
  const Plan plan = tiny();

  const FusedPlan result = fused(plan);

  const FusedChain keys = ending_at(result, at("cache/k"));
  EXPECT_EQ(keys.fusion, "norm_rope_append");
  EXPECT_THAT(keys.nodes, ElementsAre(at("attention/k_norm"), at("attention/k_rope"), at("cache/k")));
  EXPECT_THAT(keys.inner, ElementsAre(at("attention/k_norm/out"), at("attention/k_rope/out")));
  const Node& node = node_at(result.plan, at("cache/k"));
  EXPECT_EQ(node.component, "norm_rope_append");
  EXPECT_EQ(node.inputs.at("x").front().name, at("attention/k_proj/out"));
  EXPECT_EQ(node.inputs.at("x").front().axes, "B,S,G,D");
  EXPECT_FALSE(node.inputs.contains("past"));
  EXPECT_TRUE(node_at(result.plan, "steps/001/text/layers/01/cache/k").inputs.contains("past"));
  EXPECT_EQ(node.params.at("gain_offset"), ParamValue(1.0));
  EXPECT_FALSE(result.plan.taps.contains(at("attention/k_rope/out")));
  EXPECT_EQ(result.plan.nodes[static_cast<size_t>(result.plan.tap(at("cache/k")).producer)].prefix, at("cache/k"));
  EXPECT_EQ(ending_at(result, at("attention/q_rope")).fusion, "norm_rope");
}

TEST(Fused, AnOutputOfAnEarlierPartIsWrittenAndStillReadBehind) {
  const FusedPlan result = fused(tiny());

  const FusedChain chain = ending_at(result, at("post_attention_norm"));

  EXPECT_EQ(chain.fusion, "add_norm");
  EXPECT_TRUE(chain.inner.empty());
  EXPECT_THAT(chain.outputs, Contains(at("attention_residual/out")));
  // The stream between layers has an alias, and both taps are written.
  EXPECT_EQ(ending_at(result, at("input_norm")).fusion, "add_norm");
}

TEST(Fused, SwallowsNoTapThatAnotherNodeReads) {
  Plan plan = tiny();
  Node& scores = edited(plan, at("attention/indexer"));
  scores.inputs["q"].front().name = at("attention/indexer/q_norm/out");  // before the rotation

  const FusedPlan result = fused(plan);

  EXPECT_TRUE(ending_at(result, at("attention/indexer/q_rope")).nodes.empty());
  EXPECT_TRUE(result.plan.taps.contains(at("attention/indexer/q_norm/out")));
  EXPECT_FALSE(ending_at(result, at("attention/q_rope")).nodes.empty());
}

TEST(Fused, AShorterChainIsLeftWhereTheLongerOneHasAReader) {
  Plan plan = tiny();
  edited(plan, at("attention/core")).inputs["k"].front().name = at("attention/k_rope/out");

  const FusedPlan result = fused(plan);

  EXPECT_TRUE(ending_at(result, at("cache/k")).nodes.empty());
  EXPECT_EQ(ending_at(result, at("attention/k_rope")).fusion, "norm_rope");
}

TEST(Fused, AnotherNameOfAnInnerTapKeepsIt) {
  Plan plan = tiny();
  plan.aliases["steps/000/mine"] = at("attention/q_norm/out");

  EXPECT_TRUE(ending_at(fused(plan), at("attention/q_rope")).nodes.empty());
}

TEST(Fused, NoNodeBetweenThePartsMayNeedWhatComesOut) {
  Plan plan = tiny();
  const auto norm = static_cast<size_t>(&node_at(plan, at("post_attention_norm")) - plan.nodes.data());
  Node reader = plan.nodes[norm];
  reader.prefix = "steps/000/between";
  reader.outputs["out"].name = "steps/000/between/out";
  plan.taps["steps/000/between/out"] = plan.tap(at("post_attention_norm/out"));
  plan.nodes.insert(plan.nodes.begin() + static_cast<int64_t>(norm), reader);
  for (auto& [name, tap] : plan.taps) tap.producer += tap.producer >= static_cast<int>(norm) ? 1 : 0;
  plan.taps["steps/000/between/out"].producer = static_cast<int>(norm);

  EXPECT_TRUE(ending_at(fused(plan), at("post_attention_norm")).nodes.empty());
}

TEST(Fused, RefusesAParameterThatTheKernelDoesNotKnow) {
  Plan plan = tiny();
  edited(plan, at("attention_residual")).params["branch_factor"] = 0.5;

  EXPECT_TRUE(ending_at(fused(plan), at("post_attention_norm")).nodes.empty());
}

TEST(Fused, RefusesOtherAxes) {
  Plan plan = tiny();
  edited(plan, at("attention/q_norm")).inputs["x"].front().axes = "B,S,AD";  // one norm over all heads

  EXPECT_TRUE(ending_at(fused(plan), at("attention/q_rope")).nodes.empty());
}

TEST(Fused, RefusesAChainWhoseEndNobodyRecorded) {
  const auto recorded = [](const std::string& tap) { return tap != at("cache/k"); };

  const FusedPlan result = fused(tiny(), recorded);

  EXPECT_TRUE(ending_at(result, at("cache/k")).nodes.empty());
  EXPECT_EQ(ending_at(result, at("attention/k_rope")).fusion, "norm_rope");
}

TEST(Fused, LeavesAPlanWithoutSuchChainsAsItIs) {
  const Plan plan = tiny();
  const auto none = [](const std::string&) { return false; };

  const FusedPlan result = fused(plan, none);

  EXPECT_TRUE(result.chains.empty());
  EXPECT_EQ(result.plan.nodes.size(), plan.nodes.size());
  EXPECT_THAT(result.plan.taps, ::testing::SizeIs(plan.taps.size()));
}

}  // namespace
}  // namespace parity::replay

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A walk layer by layer computes the bits of a run call by call.
#include "replay/spans/layer_walk.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"
#include "reference/reference.hpp"
#include "replay/runs/free_run.hpp"
#include "replay/runs/synthesize.hpp"

namespace parity::replay {
namespace {

Plan tiny_plan(const std::string& system, const std::string& profile) {
  PlanRequest request = two_calls(profile);
  request.calls[0].labels = request.calls[0].aux_loss = false;
  return build_plan(system, tiny_config(system), request);
}

bool same(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

/// Ids 0, 1, 2, … below the vocabulary.
Tensor ids_of(const Plan& plan, int step) {
  const AxisSizes& sizes = plan.sizes.at(step);
  Tensor ids(DType::i64, {sizes.at('B'), sizes.at('S')}, "B,S");
  for (int64_t i = 0; i < ids.view().count(); ++i) ids.i64()[i] = i % sizes.at('V');
  return ids;
}

TEST(LayerWalk, HasTheBitsOfARunCallByCall) {
  for (const auto& [system, profile] : std::vector<std::pair<std::string, std::string>>{
           {"minimax_m3_vl", "hf-5.12.0"}, {"minimax_m2", "hf-5.12.0"}, {"minimax_text_01", "hf-4.56.2"}}) {
    const Plan plan = tiny_plan(system, profile);
    const golden::SyntheticSource weights = synthetic_checkpoint(plan, 3);
    FreeRun whole(plan, reference::registry(), weights);
    LayerWalk walk(plan, reference::registry(), weights);
    std::map<std::string, Tensor> expected;
    for (const auto& [step, sizes] : plan.sizes) {
      for (const auto& [tap, value] : whole.set_tokens(step, ids_of(plan, step))) walk.set(tap, value);
    }
    for (const auto& [step, sizes] : plan.sizes) {
      whole.run(step, [&](const Node& node, const Outcome& outcome) {
        for (const auto& [field, value] : outcome.outputs) expected[node.outputs.at(field).name] = value.rounded;
      });
    }

    size_t seen = 0;
    for (size_t stage = 0; stage < walk.stages().size(); ++stage) {
      walk.run(stage, [&](const Node& node, const Outcome& outcome) {
        for (const auto& [field, value] : outcome.outputs) {
          EXPECT_TRUE(same(value.rounded, expected.at(node.outputs.at(field).name))) << node.prefix;
          ++seen;
        }
      });
    }
    EXPECT_EQ(seen, expected.size());
    for (const auto& [tap, value] : walk.kept()) EXPECT_LT(plan.tap(tap).producer, 0) << tap << " is kept for nobody";
  }
}

TEST(LayerWalk, ContinuesFromWhatItKept) {
  const Plan plan = tiny_plan("minimax_m3_vl", "hf-5.12.0");
  const golden::SyntheticSource weights = synthetic_checkpoint(plan, 3);
  FreeRun inputs(plan, reference::registry(), weights);
  LayerWalk walk(plan, reference::registry(), weights), rest(plan, reference::registry(), weights);
  for (const auto& [step, sizes] : plan.sizes) {
    for (const auto& [tap, value] : inputs.set_tokens(step, ids_of(plan, step))) walk.set(tap, value);
  }
  std::map<std::string, Tensor> one, other;
  const auto into = [](std::map<std::string, Tensor>& taps) {
    return [&taps](const Node& node, const Outcome& outcome) {
      for (const auto& [field, value] : outcome.outputs) taps[node.outputs.at(field).name] = value.rounded;
    };
  };

  for (size_t stage = 0; stage < 2; ++stage) walk.run(stage, [](const Node&, const Outcome&) {});
  for (const auto& [tap, value] : walk.kept()) rest.set(tap, value);
  for (size_t stage = 2; stage < walk.stages().size(); ++stage) {
    walk.run(stage, into(one));
    rest.run(stage, into(other));
  }

  ASSERT_EQ(one.size(), other.size());
  for (const auto& [tap, value] : one) EXPECT_TRUE(same(value, other.at(tap))) << tap;
}

TEST(LayerWalk, OfALaterCallNeedsOnlyTheCachesOfEarlierOnes) {
  const Plan plan = tiny_plan("minimax_m3_vl", "hf-5.12.0");
  const golden::SyntheticSource weights = synthetic_checkpoint(plan, 3);
  FreeRun whole(plan, reference::registry(), weights);
  LayerWalk walk(plan, reference::registry(), weights, 1);
  for (const auto& [step, sizes] : plan.sizes) {
    for (const auto& [tap, value] : whole.set_tokens(step, ids_of(plan, step))) walk.set(tap, value);
  }
  std::map<std::string, Tensor> expected;
  for (const auto& [step, sizes] : plan.sizes) {
    whole.run(step, [&](const Node& node, const Outcome& outcome) {
      for (const auto& [field, value] : outcome.outputs) expected[node.outputs.at(field).name] = value.rounded;
    });
  }

  int64_t caches = 0;
  for (size_t stage = 0; stage < walk.stages().size(); ++stage) {
    for (const std::string& tap : walk.lacking(stage)) {
      EXPECT_NE(tap.find("steps/000/text/layers/"), std::string::npos);
      EXPECT_NE(tap.find("/cache/"), std::string::npos) << tap;
      walk.set(tap, expected.at(tap));
      ++caches;
    }
    walk.run(stage, [&](const Node& node, const Outcome& outcome) {
      EXPECT_EQ(node.step, 1);
      for (const auto& [field, value] : outcome.outputs)
        EXPECT_TRUE(same(value.rounded, expected.at(node.outputs.at(field).name))) << node.prefix;
    });
  }
  EXPECT_GT(caches, 3);
}

TEST(LayerWalk, StagesAreTheLayersInOrder) {
  const std::vector<Stage> stages = stages_of(tiny_plan("minimax_m3_vl", "hf-5.12.0"));

  ASSERT_GE(stages.size(), 4U);
  EXPECT_EQ(stages.front().layer, -1);
  EXPECT_EQ(stages.back().layer, -1);
  for (size_t i = 1; i + 1 < stages.size(); ++i) EXPECT_EQ(stages[i].layer, static_cast<int>(i) - 1);
}

}  // namespace
}  // namespace parity::replay

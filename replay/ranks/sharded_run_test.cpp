// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A plan for several ranks computes what the plan for one computes: every rank's tap is its part of the single tap.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"
#include "core/random.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "golden/sources/synthetic_source.hpp"
#include "reference/reference.hpp"
#include "replay/runs/free_run.hpp"

namespace parity::replay {
namespace {

using ::testing::HasSubstr;

golden::SyntheticSource weights_of(const Plan& plan) {
  std::map<std::string, golden::SyntheticTensor> tensors;
  for (const auto& [name, info] : plan.weights) {
    Shape shape = info.shape;
    if (!shape.empty()) shape[0] /= static_cast<int64_t>(info.published.size());
    for (const std::string& published : info.published) {
      for (int64_t member = 0; member < std::max<int64_t>(info.members, 1); ++member)
        tensors[member_name(published, member)] = {DType::f32, shape, 0.5};
    }
  }
  return {7, tensors};
}

/// Sets every input of the plan; ranks get their part of what `ids` and positions are in the single plan. Returns those
/// of the single plan.
std::map<std::string, Tensor> set_inputs(FreeRun& run, const Plan& single, const Plan& plan) {
  std::map<std::string, Tensor> inputs;
  for (size_t step = 0; step < single.sizes.size(); ++step) {
    const std::string name = fmt::format("steps/{:03}/tokens/input_ids", step);
    Tensor ids(DType::i64, single.tap(name).shape, single.tap(name).axes);
    const Random random(step, "ids");
    const int64_t words = single.sizes.at(static_cast<int>(step)).at('V');
    for (int64_t i = 0; i < ids.view().count(); ++i)
      ids.i64()[i] = static_cast<int64_t>(random.bits(static_cast<uint64_t>(i)) % static_cast<uint64_t>(words));
    for (const auto& [tap, value] : run.set_tokens(static_cast<int>(step), ids)) {
      inputs[tap] = value;
      for (const auto& [part, info] : plan.taps) {
        if (info.producer < 0 && info.part && info.part->tap == tap)
          run.set(part, read_box(value.view(), info.part->box, info.shape, info.axes));
      }
    }
  }
  return inputs;
}

std::map<std::string, Tensor> outputs_of(const Plan& single, const Plan& plan, const WeightSource& weights) {
  FreeRun run(plan, reference::registry(), weights);
  std::map<std::string, Tensor> outputs = set_inputs(run, single, plan);
  for (const auto& [step, sizes] : single.sizes) {
    run.run(step, [&](const Node& node, const Outcome& outcome) {
      for (const auto& [field, value] : outcome.outputs) outputs[node.outputs.at(field).name] = value.rounded;
    });
  }
  return outputs;
}

/// The largest difference of two tensors, relative to the largest number of the second.
double distance(const TensorView& a, const TensorView& b) {
  double difference = 0.0, most = 1e-30;
  for (int64_t i = 0; i < b.count(); ++i) {
    const double x = a.value(i), y = b.value(i);
    if (x == y) continue;  // infinite scores of blocks in the future
    difference = std::max(difference, std::abs(x - y));
    most = std::max(most, std::abs(y));
  }
  return difference / most;
}

struct Divided {
  std::string system, profile, rules;
  Layout layout;

  friend void PrintTo(const Divided& divided, std::ostream* out) { *out << divided.layout.text(); }
};

Plan single_plan(const std::string& system, const std::string& profile) {
  PlanRequest request = two_calls(profile);
  request.working = DType::f64;
  request.calls[0].tokens = request.calls[0].keys = 11;  // two runs of tokens for the first of two context ranks
  request.calls[1].keys = 12;
  request.calls[0].labels = request.calls[0].aux_loss = false;
  return build_plan(system, tiny_config(system), request);
}

class ShardedRun : public ::testing::TestWithParam<Divided> {};

TEST_P(ShardedRun, EveryRankHoldsItsPartOfTheSingleRun) {
  const Divided& given = GetParam();
  const Plan single = single_plan(given.system, given.profile);
  Layout layout = given.layout;
  layout.rules = given.rules;
  const Plan plan = sharded_plan(single, layout, reference::registry());
  const auto weights = weights_of(single);
  const auto expected = outputs_of(single, single, weights);
  const auto computed = outputs_of(single, plan, weights);

  int64_t parts = 0, smaller = 0;
  for (const auto& [tap, value] : computed) {
    const TapInfo& info = plan.tap(tap);
    if (info.producer < 0 || !info.part || info.part->partial) continue;
    const Tensor part = read_box(expected.at(info.part->tap).view(), info.part->box, info.shape, info.axes);
    EXPECT_LT(distance(value.view(), part.view()), 1e-9) << tap;
    ++parts;
    smaller += info.part->box.whole() ? 0 : 1;
  }
  EXPECT_GE(parts, static_cast<int64_t>(expected.size()) * layout.ranks() * 9 / 10);
  EXPECT_EQ(smaller > 0, layout.tp * layout.cp * layout.dp > 1);
}

std::string name_of(const ::testing::TestParamInfo<Divided>& info) {
  const Layout& layout = info.param.layout;
  const std::string by = layout.dispatch == kAllToAll ? "_to" : layout.dispatches() ? "_gather" : "";
  return fmt::format("{}_{}_tp{}_ep{}_cp{}_dp{}{}", info.param.system, info.param.rules, layout.tp, layout.ep,
                     layout.cp, layout.dp, by);
}

std::vector<Divided> every_division() {
  const std::vector<Layout> layouts{{.tp = 2, .rules = ""},
                                    {.tp = 4, .rules = ""},
                                    {.ep = 2, .rules = ""},
                                    {.ep = 4, .rules = ""},
                                    {.cp = 2, .rules = ""},
                                    {.dp = 2, .rules = ""},
                                    {.tp = 2, .ep = 2, .rules = ""},
                                    {.tp = 4, .ep = 4, .dp = 2, .rules = ""},
                                    {.tp = 2, .dp = 2, .rules = ""},
                                    {.tp = 2, .cp = 2, .rules = ""},
                                    {.ep = 2, .cp = 2, .rules = ""},
                                    {.ep = 2, .cp = 2, .dp = 2, .rules = ""},
                                    {.ep = 2, .dp = 2, .rules = "", .dispatch = kAllToAll},
                                    {.ep = 2, .dp = 2, .rules = "", .dispatch = kAllGather},
                                    {.tp = 2, .ep = 4, .dp = 2, .rules = "", .dispatch = kAllToAll},
                                    {.tp = 2, .ep = 4, .dp = 2, .rules = "", .dispatch = kAllGather}};
  std::vector<Divided> all;
  for (const Layout& layout : layouts) {
    all.push_back({"minimax_m3_vl", "hf-5.12.0", "hf", layout});
    all.push_back({"minimax_m3_vl", "hf-5.23.0", "vllm", layout});
    if (layout.cp == 1) all.push_back({"minimax_text_01", "hf-4.56.2", "hf", layout});
    if (layout.ep == 1) all.push_back({"minimax_m2", "hf-5.12.0", "hf", layout});  // five experts
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Layouts, ShardedRun, ::testing::ValuesIn(every_division()), name_of);

TEST(ShardedPlan, UnevenChannelsAreDividedInChunks) {
  const Plan single = single_plan("minimax_m2", "hf-5.12.0");
  const Plan plan = sharded_plan(single, {.tp = 3, .rules = "hf"}, reference::registry());

  const auto rows = [&](int rank) {
    return plan.weights.at(fmt::format("ranks/{:02}/model.layers.0.self_attn.k_proj.weight", rank)).shape.front();
  };
  EXPECT_EQ(rows(0) + rows(1) + rows(2), 16);
  EXPECT_EQ(rows(0), 6);  // 16 rows in chunks of 6, across heads of 8
  EXPECT_EQ(rows(2), 4);
}

TEST(ShardedPlan, ARankLoadsOnlyItsWeights) {
  const Plan single = single_plan("minimax_m3_vl", "hf-5.12.0");
  const Plan plan = sharded_plan(single, {.ep = 4, .rules = "hf"}, reference::registry());

  int64_t own = 0;
  for (const auto& [name, info] : plan.weights) {
    if (info.members == 0) continue;
    EXPECT_EQ(info.members, 1) << name;
    own += info.first_member == 3 ? 1 : 0;
  }
  EXPECT_EQ(own, 2 * 2);  // gate_up and down of two layers
}

std::string refusal(const Plan& single, const Layout& layout) {
  try {
    static_cast<void>(sharded_plan(single, layout, reference::registry()));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    return error.what();
  }
  return "";
}

TEST(ShardedPlan, RefusesALayoutThatThePackageRefuses) {
  const Plan m2 = single_plan("minimax_m2", "hf-5.12.0");
  EXPECT_THAT(refusal(m2, {.ep = 2, .rules = "hf"}), HasSubstr("5 experts cannot be divided evenly among 2 ranks"));
  EXPECT_THAT(refusal(m2, {.tp = 2, .rules = "nemo"}), HasSubstr("no rules of 'nemo' divide minimax_m2"));
  EXPECT_THAT(refusal(m2, {.dp = 4, .rules = ""}), HasSubstr("2 sequences cannot be divided among 4"));
  EXPECT_THAT(refusal(m2, {.tp = 2, .ep = 5, .rules = "hf"}), HasSubstr("--tp and --ep must be equal"));
  const Plan text01 = single_plan("minimax_text_01", "hf-4.56.2");
  EXPECT_THAT(refusal(text01, {.tp = 3, .rules = "hf"}), HasSubstr("4 heads cannot be divided among 3 ranks"));
  EXPECT_THAT(refusal(text01, {.cp = 2, .rules = ""}), HasSubstr("needs all tokens of a sequence on one rank"));
}

TEST(ShardedPlan, RefusesToDispatchWhatItCannotDivide) {
  const Plan m3 = single_plan("minimax_m3_vl", "hf-5.12.0");
  EXPECT_THAT(refusal(m3, {.ep = 2, .rules = "hf", .dispatch = kAllToAll}), HasSubstr("--dp must be above 1"));
  EXPECT_THAT(refusal(m3, {.ep = 4, .dp = 2, .rules = "hf", .dispatch = kAllToAll}),
              HasSubstr("--ep must equal --tp times --dp (2)"));
  EXPECT_THAT(refusal(m3, {.ep = 4, .cp = 2, .dp = 2, .rules = "hf", .dispatch = kAllGather}),
              HasSubstr("--dispatch does not support --cp"));
  const Plan m2 = single_plan("minimax_m2", "hf-5.12.0");
  EXPECT_THAT(refusal(m2, {.ep = 2, .dp = 2, .rules = "hf", .dispatch = kAllGather}),
              HasSubstr("5 experts cannot be divided evenly among 2 ranks"));
}

TEST(ShardedPlan, ADispatchingRankHasTheTermsOfAllTokensAndTheSumsOfItsOwn) {
  const Plan single = single_plan("minimax_m3_vl", "hf-5.12.0");
  const Plan plan =
      sharded_plan(single, {.ep = 2, .dp = 2, .rules = "hf", .dispatch = kAllToAll}, reference::registry());
  const std::string tap = "ranks/01/steps/000/text/layers/01/moe/experts/out";

  EXPECT_EQ(plan.tap(tap + "_partial").shape.front(), 2 * plan.tap(tap).shape.front());
  const Node& combine = plan.nodes[static_cast<size_t>(plan.tap(tap).producer)];
  EXPECT_EQ(combine.component, "combine");
  EXPECT_EQ(std::get<int64_t>(combine.params.at("first_row")), plan.tap(tap).shape.front());
}

}  // namespace
}  // namespace parity::replay

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Quantised checkpoints in plans: which matrices have scales, what stays binary32, runtime names.
#include "core/plans/quantisation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"

namespace parity {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

Plan quantised(const std::string& system, const json& settings, const std::string& profile) {
  json config = tiny_config(system);
  config["quantization_config"] = settings;
  return build_plan(system, config, two_calls(profile));
}

Plan m2() {
  return quantised("minimax_m2",
                   {{"quant_method", "fp8"},
                    {"weight_block_size", {4, 4}},
                    {"modules_to_not_convert", {"gate", "e_score_correction_bias", "lm_head"}}},
                   "hf-5.12.0");
}

const WeightInfo& operand(const Plan& plan, const Node& node, const std::string& field) {
  return plan.weights.at(node.inputs.at(field).front().name);
}

TEST(RuntimeName, IsWhatTransformersCallsTheParameter) {
  const auto m3 = [](const std::string& published) { return runtime_name("minimax_m3_vl", published); };
  const auto m2 = [](const std::string& published) { return runtime_name("minimax_m2", published); };
  const std::string layer = "language_model.model.layers.3.";

  EXPECT_EQ(m2("lm_head.weight"), "lm_head");
  EXPECT_EQ(m3("language_model.lm_head.weight"), "lm_head");
  EXPECT_EQ(m3(layer + "self_attn.index_q_proj.weight"), "model.language_model.layers.3.self_attn.indexer.q_proj");
  EXPECT_EQ(m3(layer + "mlp.gate_proj.weight"), "model.language_model.layers.3.mlp.gate_up_proj");
  EXPECT_EQ(m2("model.layers.0.block_sparse_moe.experts.{}.w1.weight"), "model.layers.0.mlp.experts.gate_up_proj");
  EXPECT_EQ(m2("model.layers.0.block_sparse_moe.experts.{}.w2.weight"), "model.layers.0.mlp.experts.down_proj");
  EXPECT_EQ(m2("model.layers.0.block_sparse_moe.gate.weight"), "model.layers.0.mlp.gate");
  EXPECT_EQ(m3("mtp.of.another.package.weight"), "mtp.of.another.package");
}

TEST(Quantisation, IgnoredModulesAreWholePartsOfTheName) {
  const auto q = read_quantisation(
      {{"quantization_config",
        {{"quant_method", "mxfp8"}, {"ignored_layers", {"gate", "model.layers.1.block_sparse_moe.up"}}}}});

  EXPECT_FALSE(q.covers("model.layers.0.block_sparse_moe.gate.weight"));
  EXPECT_TRUE(q.covers("model.layers.0.mlp.gate_proj.weight"));
  EXPECT_FALSE(q.covers("language_model.model.layers.1.block_sparse_moe.up.weight"));
  EXPECT_TRUE(q.covers("language_model.model.layers.11.block_sparse_moe.up.weight"));
  EXPECT_FALSE(q.covers("model.embed_tokens.weight"));
}

TEST(Quantisation, EveryMatrixIsDecodedBeforeAnythingElse) {
  const Plan plan = m2();

  EXPECT_EQ(plan.nodes.front().component, "dequantise");
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    for (const auto& [field, output] : plan.nodes[i].outputs)
      EXPECT_EQ(plan.tap(output.name).producer, static_cast<int>(i)) << output.name;
  }
  EXPECT_EQ(plan.tap("weights/model.layers.1.mlp.experts.gate_up_proj").shape, (Shape{5, 10, 6}));
  EXPECT_EQ(plan.taps.count("weights/model.layers.1.input_layernorm"), 0U);
}

TEST(Quantisation, CodesAndScalesComeAsStored) {
  const Plan plan = m2();
  const Node& node = node_at(plan, "weights/model.layers.0.mlp.experts.gate_up_proj");
  const std::string expert = "model.layers.0.block_sparse_moe.experts.0.";

  EXPECT_EQ(operand(plan, node, "codes").held, Held::stored);
  EXPECT_EQ(operand(plan, node, "codes").shape, (Shape{50, 6}));
  EXPECT_EQ(operand(plan, node, "scales").shape, (Shape{20, 2}));  // 2 x 2 for each of 5 x 2 matrices of 5 x 6
  EXPECT_EQ(operand(plan, node, "scales").published[1], expert + "w3.weight_scale_inv");
  EXPECT_FALSE(std::get<bool>(node.params.at("exponents")));
  EXPECT_EQ(node_at(plan, "weights/lm_head").inputs.count("scales"), 0U);
}

TEST(Quantisation, RouterWeightBiasAndLogitsStayBinary32) {
  const Plan plan = m2();
  const Node& logits = node_at(plan, "steps/000/text/layers/00/moe/router/logits");

  EXPECT_EQ(plan.tap(logits.prefix).type, TapType::single);
  EXPECT_EQ(logits.rounding.at("linear.out"), Precision::single);
  EXPECT_EQ(operand(plan, logits, "weight").held, Held::single);
  EXPECT_EQ(operand(plan, node_at(plan, "steps/000/text/layers/00/moe/router"), "bias").held, Held::single);
  EXPECT_EQ(plan.tap("weights/model.layers.0.mlp.gate").type, TapType::single);
  EXPECT_TRUE(node_at(plan, "steps/000/text/lm_head").rounding.empty());
}

TEST(Quantisation, PlainCheckpointsHaveNoneOfIt) {
  const Plan plan = build_plan("minimax_m2", tiny_config("minimax_m2"), two_calls("hf-5.12.0"));

  for (const auto& [name, info] : plan.weights) EXPECT_EQ(info.held, Held::working) << name;
  for (const Node& node : plan.nodes) EXPECT_TRUE(node.rounding.empty()) << node.prefix;
}

TEST(Quantisation, MicroscalingHasExponentsOfOneByThirtyTwo) {
  const Plan plan = quantised("minimax_m3_vl", {{"quant_method", "mxfp8"}}, "hf-5.12.0");
  const Node& node = node_at(plan, "weights/model.language_model.layers.0.mlp.gate_up_proj");

  EXPECT_TRUE(std::get<bool>(node.params.at("exponents")));
  EXPECT_EQ(operand(plan, node, "scales").shape, (Shape{14, 1}));
}

}  // namespace
}  // namespace parity

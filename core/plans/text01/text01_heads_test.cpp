// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Heads of MiniMax-Text-01 instead of the language model's.
#include "core/plans/text01/text01_heads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Key;
using ::testing::Not;

Plan tiny(Head head, const nlohmann::json& more = nlohmann::json::object(),
          const std::string& system = "minimax_text_01") {
  PlanRequest request = two_calls(system == "minimax_text_01" ? "hf-4.56.2" : "hf-5.12.0");
  request.calls.resize(1);
  request.head = head;
  nlohmann::json config = tiny_config(system);
  config.update(more);
  return build_plan(system, config, request);
}

std::vector<std::string> weights(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& [name, info] : plan.weights) {
    if (!name.starts_with("model.")) names.push_back(name);
  }
  return names;
}

TEST(Text01Heads, AreChosenByTheClassThatRan) {
  EXPECT_EQ(head_of("MiniMaxForSequenceClassification"), Head::sequence);
  EXPECT_EQ(head_of("MiniMaxForTokenClassification"), Head::token);
  EXPECT_EQ(head_of("MiniMaxForQuestionAnswering"), Head::question);
  EXPECT_EQ(head_of("MiniMaxForCausalLM"), Head::language);
  EXPECT_EQ(head_of(""), Head::language);
}

TEST(Text01Heads, TakeThePlaceOfTheLanguageModels) {
  EXPECT_EQ(weights(tiny(Head::language)), std::vector<std::string>{"lm_head.weight"});
  EXPECT_EQ(weights(tiny(Head::sequence)), std::vector<std::string>{"score.weight"});  // without a bias
  EXPECT_EQ(weights(tiny(Head::token)), (std::vector<std::string>{"score.bias", "score.weight"}));
  EXPECT_EQ(weights(tiny(Head::question)), (std::vector<std::string>{"qa_outputs.bias", "qa_outputs.weight"}));
  EXPECT_THAT(tiny(Head::token).taps, Not(Contains(Key("steps/000/text/lm_head/out"))));
}

TEST(Text01Heads, HaveNoAuxiliaryLoss) {
  EXPECT_THAT(tiny(Head::language).taps, Contains(Key("steps/000/aux_loss")));
  for (const Head head : {Head::sequence, Head::token, Head::question}) {
    EXPECT_THAT(tiny(head).taps, Not(Contains(Key("steps/000/aux_loss"))));
    EXPECT_THAT(tiny(head).taps, Contains(Key("steps/000/loss")));
  }
}

TEST(Text01Heads, OfSequencesPoolTheLastTokenThatIsNoPadding) {
  const Plan plan = tiny(Head::sequence, {{"pad_token_id", 3}, {"id2label", {{"0", "a"}, {"1", "b"}, {"2", "c"}}}});
  const Node& pooled = node_at(plan, "steps/000/text/pooled");

  EXPECT_EQ(std::get<int64_t>(pooled.params.at("pad_token")), 3);
  EXPECT_EQ(plan.tap("steps/000/text/pooled/out").shape, (Shape{2, 3}));
  EXPECT_EQ(plan.tap("steps/000/tokens/labels").shape, Shape{2});
}

TEST(Text01Heads, OnlyTheLossOfTokensIsWidened) {
  EXPECT_EQ(tiny(Head::sequence).tap("steps/000/loss").type, TapType::working);
  EXPECT_EQ(tiny(Head::token).tap("steps/000/loss").type, TapType::single);
  EXPECT_EQ(tiny(Head::question).tap("steps/000/loss").type, TapType::working);
}

TEST(Text01Heads, LabelsAreNotShifted) {
  const Plan plan = tiny(Head::token);
  const auto loss = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                 [](const Node& node) { return node.component == "cross_entropy"; });

  ASSERT_NE(loss, plan.nodes.end());
  EXPECT_EQ(std::get<int64_t>(loss->params.at("label_offset")), 0);
}

/// Name of the component that computes the sequence head's loss.
std::string loss_of(const nlohmann::json& more, bool real_labels) {
  PlanRequest request = two_calls("hf-4.56.2");
  request.calls.resize(1);
  request.calls[0].real_labels = real_labels;
  request.head = Head::sequence;
  nlohmann::json config = tiny_config("minimax_text_01");
  config.update(more);
  const Plan plan = build_plan("minimax_text_01", config, request);
  return plan.nodes[static_cast<size_t>(plan.tap("steps/000/loss").producer)].component;
}

TEST(Text01Heads, ProblemTypeOrElseTheLabelsSayWhatTheyMean) {
  EXPECT_EQ(loss_of({{"num_labels", 3}}, false), "cross_entropy");
  EXPECT_EQ(loss_of({{"num_labels", 3}}, true), "independent_labels_loss");
  EXPECT_EQ(loss_of({{"num_labels", 1}}, true), "squared_error");
  EXPECT_EQ(loss_of({{"num_labels", 3}, {"problem_type", "regression"}}, true), "squared_error");
  EXPECT_EQ(loss_of({{"num_labels", 1}, {"problem_type", "multi_label_classification"}}, true),
            "independent_labels_loss");
  EXPECT_EQ(loss_of({{"num_labels", 1}, {"problem_type", "single_label_classification"}}, false), "cross_entropy");
}

TEST(Text01Heads, LabelsOfTheOtherKindAreRefused) {
  EXPECT_THAT(refusal_of(ErrorCode::schema,
                         [] {
                           return loss_of({{"num_labels", 1}}, false);
                         }),
              HasSubstr("tokens/labels are i64, but problem_type and num_labels of the config need floating-point"));
  EXPECT_THAT(
      refusal_of(ErrorCode::schema,
                 [] {
                   return loss_of({{"problem_type", "single_label_classification"}}, true);
                 }),
      HasSubstr("tokens/labels are floating-point numbers, but problem_type and num_labels of the config need i64"));
}

TEST(Text01Heads, OtherModelsHaveNone) {
  EXPECT_THAT(
      refusal_of(ErrorCode::unsupported, [] { return tiny(Head::token, nlohmann::json::object(), "minimax_m3_vl"); }),
      HasSubstr("system 'minimax_m3_vl' has no classification or question head"));
}

TEST(Text01Heads, LabelsAreCountedByTheirNames) {
  const auto labels = [](const nlohmann::json& more) { return parse_text01_config(more).num_labels; };

  EXPECT_EQ(labels(nlohmann::json::object()), 2);
  EXPECT_EQ(labels({{"num_labels", 5}}), 5);
  EXPECT_EQ(labels({{"num_labels", 5}, {"id2label", {{"0", "x"}, {"1", "y"}, {"2", "z"}}}}), 3);  // names win
  EXPECT_THAT(refusal_of(ErrorCode::schema,
                         [&] {
                           return labels({{"problem_type", "ranking"}});
                         }),
              HasSubstr("'problem_type' is \"ranking\""));
}

}  // namespace
}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names in the checkpoint and in the loaded model, both ways.
#include "core/plans/runtime_names.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

struct Case {
  std::string system;
  std::string model_class;
  Head head = Head::language;
  bool vision = false;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {"minimax_m3_vl", "MiniMaxM3SparseForConditionalGeneration", Head::language, true},
      {"minimax_m3_vl", "MiniMaxM3VLForCausalLM"},
      {"minimax_m2", "MiniMaxM2ForCausalLM"},
      {"minimax_text_01", "MiniMaxForCausalLM"},
      {"minimax_text_01", "MiniMaxForSequenceClassification", Head::sequence},
      {"minimax_text_01", "MiniMaxForTokenClassification", Head::token},
      {"minimax_text_01", "MiniMaxForQuestionAnswering", Head::question},
  };
  return list;
}

/// Published names of all tensors of the class's tiny model.
std::set<std::string> published(const Case& model) {
  const std::string profile = model.system == "minimax_text_01" ? "hf-4.56.2" : "hf-5.12.0";
  PlanRequest request = model.vision ? two_calls_with_media(profile) : two_calls(profile);
  request.calls.resize(1);
  request.head = model.head;
  std::set<std::string> names;
  for (const auto& [name, info] : build_plan(model.system, tiny_config(model.system), request).weights) {
    for (const std::string& pattern : info.published) {
      const size_t number = pattern.find("{}");
      for (int64_t member = 0; member < std::max<int64_t>(info.members, 1); ++member) {
        std::string name_of_member = pattern;
        if (number != std::string::npos) name_of_member.replace(number, 2, std::to_string(member));
        names.insert(name_of_member);
      }
    }
  }
  return names;
}

TEST(RuntimeNames, ThereAndBackIsTheSameForEveryWeight) {
  for (const Case& model : cases()) {
    const RuntimeNames names = RuntimeNames::of(model.system, model.model_class);
    const auto all = published(model);
    EXPECT_GT(all.size(), 30U);
    for (const std::string& name : all) EXPECT_EQ(names.published(names.runtime(name)), name) << model.model_class;
  }
}

TEST(RuntimeNames, AreThoseOfTheRealClasses) {
  std::set<std::string> classes;
  for (const auto& entry : std::filesystem::directory_iterator("golden/names")) {  // tests run in the repository root
    if (entry.path().extension() != ".json") continue;
    const auto recorded = nlohmann::json::parse(std::ifstream(entry.path()));
    const std::string model_class = recorded.at("class");
    const RuntimeNames names = RuntimeNames::of("any", model_class);
    for (const auto& [name, place] : recorded.at("names").items()) {
      const RuntimePlace expected{place.at(0), place.at(1), place.at(2), place.at(3)};
      EXPECT_EQ(names.runtime(name), expected) << model_class << " " << name;
      EXPECT_EQ(names.published(expected), name) << model_class;
    }
    classes.insert(model_class);
  }
  EXPECT_EQ(classes.size(), 6U);
}

TEST(RuntimeNames, NoTwoTensorsShareAPlaceAndShareOfAMatrix) {
  for (const Case& model : cases()) {
    const RuntimeNames names = RuntimeNames::of(model.system, model.model_class);
    std::set<std::tuple<std::string, int64_t, int64_t>> places;
    std::map<std::pair<std::string, int64_t>, int64_t> shares;  // shares that are still missing
    for (const std::string& name : published(model)) {
      const RuntimePlace place = names.runtime(name);
      EXPECT_TRUE(places.insert({place.name, place.member, place.part}).second) << name;
      const auto share = shares.try_emplace({place.name, place.member}, place.parts).first;
      --share->second;
    }
    for (const auto& [place, missing] : shares) EXPECT_EQ(missing, 0) << place.first;
  }
}

TEST(RuntimeNames, GateAndUpOfAnExpertAreHalvesOfOneMatrix) {
  const RuntimeNames names = RuntimeNames::of("minimax_m3_vl");
  const std::string expert = "language_model.model.layers.57.block_sparse_moe.experts.127.";
  const std::string experts = "model.language_model.layers.57.mlp.experts.";

  EXPECT_EQ(names.runtime(expert + "w1.weight"), (RuntimePlace{experts + "gate_up_proj", 127, 0, 2}));
  EXPECT_EQ(names.runtime(expert + "w3.weight"), (RuntimePlace{experts + "gate_up_proj", 127, 1, 2}));
  EXPECT_EQ(names.runtime(expert + "w2.weight"), (RuntimePlace{experts + "down_proj", 127, 0, 1}));
}

/// The names are those of replace_with_fp8_linear (transformers 5.12.0).
TEST(RuntimeNames, ScalesStandBesideTheirMatrixInTheSameShares) {
  const RuntimeNames names = RuntimeNames::of("minimax_m3_vl");
  const std::string layer = "language_model.model.layers.5.";
  const std::string held = "model.language_model.layers.5.";
  const std::map<std::string, RuntimePlace> expected{
      {"self_attn.index_q_proj.weight_scale_inv", {held + "self_attn.indexer.q_proj.weight_scale_inv"}},
      {"mlp.up_proj.weight_scale_inv", {held + "mlp.gate_up_proj.weight_scale_inv", -1, 1, 2}},
      {"block_sparse_moe.experts.7.w3.weight_scale_inv", {held + "mlp.experts.gate_up_proj_scale_inv", 7, 1, 2}},
      {"block_sparse_moe.experts.7.w2.weight_scale_inv", {held + "mlp.experts.down_proj_scale_inv", 7, 0, 1}},
  };
  for (const auto& [name, place] : expected) {
    EXPECT_EQ(names.runtime(layer + name), place) << name;
    EXPECT_EQ(names.published(place), layer + name);
  }
  EXPECT_FALSE(names.find(layer + "mlp.gate_proj.scale_inv").has_value());
}

TEST(RuntimeNames, TheCorrectionBiasMovesIntoTheGateInM3Only) {
  const std::string bias = "model.layers.3.block_sparse_moe.e_score_correction_bias";

  EXPECT_EQ(RuntimeNames::of("minimax_m3_vl", "MiniMaxM3VLForCausalLM").runtime("language_model." + bias).name,
            "model.layers.3.mlp.gate.e_score_correction_bias");
  EXPECT_EQ(RuntimeNames::of("minimax_m2").runtime(bias).name, "model.layers.3.mlp.e_score_correction_bias");
}

TEST(RuntimeNames, OfOtherModelsAreNotFound) {
  const RuntimeNames m3 = RuntimeNames::of("minimax_m3_vl");
  const RuntimePlace wrong{"model.language_model.layers.0.mlp.experts.gate_up_proj", 0, 0, 1};  // not a half

  EXPECT_THAT(refusal_of(ErrorCode::not_found, [&] { return m3.runtime("model.norm.weight"); }),
              HasSubstr("no parameter published as 'model.norm.weight'"));
  EXPECT_THAT(refusal_of(ErrorCode::not_found, [&] { return m3.published(wrong); }), HasSubstr("part 1 of 1"));
  EXPECT_THAT(refusal_of(ErrorCode::not_found,
                         [&] {
                           return m3.runtime(
                               "language_model.model.layers.0.block_sparse_moe.experts.99999999999999999999.w1.weight");
                         }),
              HasSubstr("expert number 99999999999999999999"));
  EXPECT_THAT(refusal_of(ErrorCode::unsupported, [] { return RuntimeNames::of("minimax_m3_vl", "Nemo"); }),
              HasSubstr("class 'Nemo'"));
}

}  // namespace
}  // namespace parity

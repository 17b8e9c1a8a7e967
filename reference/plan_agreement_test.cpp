// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plans and profiles speak of components by name; here every name is looked up in the registry's definitions.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "core/plans/m3_processor.hpp"
#include "core/plans/processor_profiles.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "core/plans/tiny_m3.hpp"
#include "reference/reference.hpp"

namespace parity::reference {
namespace {

/// With codes and scales instead of matrices, in the way of the two published methods.
nlohmann::json quantised(nlohmann::json config) {
  const bool m3 = config.contains("text_config");
  config["quantization_config"] = {{"quant_method", m3 ? "mxfp8" : "fp8"},
                                   {"modules_to_not_convert", {"lm_head", "gate"}}};
  return config;
}

/// What two processes share: experts, or sequences with packed documents.
void add_shared_plans(const std::string& profile, std::vector<Plan>& plans) {
  PlanRequest request = two_calls(profile);
  nlohmann::json config = tiny_config("minimax_m3_vl");
  for (Call& call : request.calls) call.keys = call.tokens;
  request.processes = 2;
  request.split = Split::experts;
  plans.push_back(build_plan("minimax_m3_vl", config, request));
  request.split = Split::sequence;
  for (Call& call : request.calls) call.pairs = call.padding = true;
  for (auto& type : config["text_config"]["layer_types"]) type = "minimax_m3_sparse";
  plans.push_back(build_plan("minimax_m3_vl", config, request));
}

/// What stands on Text-01's final norm in the place of the language model's head.
void add_heads(const Profile& profile, std::vector<Plan>& plans) {
  PlanRequest request = two_calls(profile.name);
  request.calls.resize(1);
  for (const Head head : {Head::sequence, Head::token, Head::question}) {
    request.head = head;
    plans.push_back(build_plan(profile.system, tiny_config(profile.system), request));
  }
}

/// The processors' own: the size rule, grids, sampling, an image, a video, and a prompt of both.
Plan processor_plan(const std::string& profile) {
  ProcessorRequest request;
  request.profile = profile;
  request.sizes = 2;
  request.sampled = 3;
  request.most_sampled = 5;
  request.grids = {{"00", false, 4, 4, true, 0}, {"01", true, 2, 2, false, 0}};
  request.special_bytes = 7;
  request.specials = 4;
  request.images = {{"00", {3, 20, 30}, true, 6272}};
  request.videos = {{"00", {3, 3, 28, 56}, false, 0}};
  request.prompts = {{"00", 5, 9, 8, 1, 1, {3}, true}};
  return build_m3_processor_plan(nlohmann::json::object(), request);
}

/// Every kind of plan that a profile and an attention implementation can make of its tiny model, two calls each.
std::vector<Plan> all_plans() {
  std::vector<Plan> plans;
  for (const Profile& profile : profiles()) {
    for (const char* attention : {"eager", "sdpa"}) {
      PlanRequest request =
          profile.system == "minimax_m3_vl" ? two_calls_with_media(profile.name) : two_calls(profile.name);
      request.attention = attention;
      if (!profile.config.contains("nemo")) {
        request.calls.push_back({"002", 3, 0, 6});
        request.calls.back().edits = CacheEdits{true, false, 0};
      }
      for (Call& call : request.calls) {
        if (!profile.config.contains("nemo")) continue;
        call.keys = call.tokens;  // it has no cache
        call.training = call.balance_loss = true;
        call.bias_rate = call.packed_factor = 0.5;
        call.second_batch = true;
      }
      nlohmann::json config = tiny_config(profile.system);
      if (profile.config.contains("nemo")) config["text_config"]["num_mtp_modules"] = 2;
      plans.push_back(build_plan(profile.system, config, request));
      if (profile.system == "minimax_text_01") add_heads(profile, plans);
      if (profile.system == "minimax_text_01") continue;  // was never published quantised
      plans.push_back(build_plan(profile.system, quantised(tiny_config(profile.system)), request));
      if (profile.config.contains("nemo")) add_shared_plans(profile.name, plans);
    }
  }
  for (const Profile& profile : processor_profiles()) plans.push_back(processor_plan(profile.name));
  return plans;
}

bool has_field(const std::vector<FieldInfo>& fields, const std::string& name) {
  return std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == name; });
}

template <class Body>
void for_each_node(const Body& body) {
  int nodes = 0;
  for (const Plan& plan : all_plans()) {
    for (const Node& node : plan.nodes) {
      SCOPED_TRACE(node.prefix + " (" + node.component + ") in " + plan.profile);
      body(plan, node, registry().component(node.component));
      ++nodes;
    }
  }
  EXPECT_GT(nodes, 200);  // the loop saw the plans
}

TEST(PlanAgreement, EveryFieldOfEveryNodeExists) {
  for_each_node([](const Plan&, const Node& node, const Definition& definition) {
    for (const auto& [field, operands] : node.inputs) {
      EXPECT_TRUE(has_field(definition.inputs, field)) << "input '" << field << "'";
      EXPECT_FALSE(operands.empty()) << field;
    }
    for (const auto& [field, operand] : node.outputs)
      EXPECT_TRUE(has_field(definition.outputs, field)) << "output '" << field << "'";
  });
}

TEST(PlanAgreement, EveryRequiredOperandIsGiven) {
  for_each_node([](const Plan&, const Node& node, const Definition& definition) {
    for (const FieldInfo& field : definition.inputs) {
      EXPECT_TRUE(field.optional || node.inputs.count(field.name) == 1) << "input '" << field.name << "'";
    }
    for (const FieldInfo& field : definition.outputs)
      EXPECT_TRUE(field.optional || node.outputs.count(field.name) == 1) << "output '" << field.name << "'";
  });
}

TEST(PlanAgreement, EveryParamExistsWithItsType) {
  for_each_node([](const Plan&, const Node& node, const Definition& definition) {
    for (const auto& [name, value] : node.params) {
      ASSERT_EQ(definition.defaults.count(name), 1U) << "param '" << name << "'";
      EXPECT_EQ(definition.defaults.at(name).index(), value.index()) << "param '" << name << "' is of another type";
    }
  });
}

TEST(PlanAgreement, ParamsThatDependOnTheModelAreAlwaysSet) {
  // Their defaults are those of the published model or placeholders; a plan that forgot one would still run.
  const std::set<std::string> model{"alpha",       "block_size",   "coordinates", "eps",           "exponents",
                                    "gain_offset", "image_token",  "limit",       "linear_offset", "local_blocks",
                                    "merge",       "rotary_width", "scale",       "scaling",       "theta",
                                    "top_k",       "video_token"};
  for_each_node([&](const Plan&, const Node& node, const Definition& definition) {
    for (const auto& [name, value] : definition.defaults) {
      EXPECT_TRUE(model.count(name) == 0 || node.params.count(name) == 1) << "param '" << name << "'";
    }
  });
}

/// Axes of a definition as a shape pattern: letters, "*" for any number of axes.
bool rank_agrees(const std::string& defined, int64_t rank) {
  const auto tokens = split_axes(defined);
  const bool open = std::find(tokens.begin(), tokens.end(), "*") != tokens.end();
  const auto fixed = static_cast<int64_t>(tokens.size()) - (open ? 1 : 0);
  return open ? rank > fixed : rank == fixed;
}

/// The view that a walker hands to the kernel: strides of a dense buffer, no elements.
TensorView view_of(const Plan& plan, const Node& node, const Operand& operand) {
  const TapInfo& info = plan.tap(operand.name);
  TensorView view{nullptr, DType::f64, info.shape, Shape(info.shape.size(), 1), info.axes};
  for (size_t axis = info.shape.size(); axis-- > 1;) view.strides[axis - 1] = view.strides[axis] * info.shape[axis];
  const AxisSizes& sizes = plan.sizes_of(node);
  if (operand.axes.empty()) return view;
  if (view.viewable_as(operand.axes, sizes)) return view.view_as(operand.axes, sizes);
  view.shape = shape_of(operand.axes, sizes);  // read from a copy
  view.strides = Shape(view.shape.size(), 1);
  return view;
}

TEST(PlanAgreement, EveryTapCanBeViewedAsItsKernelReadsIt) {
  for_each_node([](const Plan& plan, const Node& node, const Definition& definition) {
    for (const auto& [field, operands] : node.inputs) {
      const FieldInfo& info = definition.inputs[static_cast<size_t>(definition.input_index(field))];
      for (const Operand& operand : operands) {
        const bool tap = operand.kind == Operand::Kind::tap;
        const auto rank = tap ? view_of(plan, node, operand).rank()
                              : static_cast<int64_t>(plan.weights.at(operand.name).shape.size());
        EXPECT_TRUE(rank_agrees(info.axes, rank))
            << field << ": " << operand.name << " has rank " << rank << " for " << info.axes;
      }
    }
    for (const auto& [field, operand] : node.outputs) {
      const FieldInfo& info = definition.outputs[static_cast<size_t>(definition.output_index(field))];
      const TensorView view = view_of(plan, node, operand);
      EXPECT_TRUE(rank_agrees(info.axes, view.rank()))
          << field << ": " << operand.name << " is written as " << view.axes << ", not " << info.axes;
      EXPECT_EQ(is_discrete(info.judge), plan.tap(operand.name).type == TapType::index) << field;
      EXPECT_EQ(is_integer(info.judge), is_integer(plan.tap(operand.name).type)) << field;
    }
  });
}

TEST(PlanAgreement, SettingsAndRoundingRowsOfProfilesExist) {
  std::vector<Profile> all = profiles();
  all.insert(all.end(), processor_profiles().begin(), processor_profiles().end());
  all.push_back(find_attention("eager"));
  all.push_back(find_attention("sdpa"));
  for (const Profile& profile : all) {
    for (const auto& [key, value] : profile.settings) {
      const size_t dot = key.find('.');
      const ParamMap& defaults = registry().component(key.substr(0, dot)).defaults;
      ASSERT_EQ(defaults.count(key.substr(dot + 1)), 1U) << key;
      EXPECT_EQ(defaults.at(key.substr(dot + 1)).index(), value.index()) << key;
    }
    for (const auto& [key, precision] : profile.rounding) {
      const size_t dot = key.find('.');
      EXPECT_EQ(registry().component(key.substr(0, dot)).points.count(key.substr(dot + 1)), 1U) << key;
    }
  }
}

TEST(PlanAgreement, EveryComponentIsPartOfSomePlan) {
  std::set<std::string> used;
  for (const Plan& plan : all_plans()) {
    for (const Node& node : plan.nodes) used.insert(node.component);
  }
  const auto known = registry().components();

  EXPECT_EQ(used, std::set<std::string>(known.begin(), known.end()));
}

}  // namespace
}  // namespace parity::reference

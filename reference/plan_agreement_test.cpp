// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plans and profiles refer to components by name; this test looks every name up in the registry's definitions.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "core/plans/every_plan.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "reference/reference.hpp"

namespace parity::reference {
namespace {

bool has_field(const std::vector<FieldInfo>& fields, const std::string& name) {
  return std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == name; });
}

template <class Body>
void for_each_node(const Body& body) {
  int nodes = 0;
  for (const Plan& plan : every_plan()) {
    for (const Node& node : plan.nodes) {
      SCOPED_TRACE(node.prefix + " (" + node.component + ") in " + plan.profile);
      body(plan, node, registry().component(node.component));
      ++nodes;
    }
  }
  EXPECT_GT(nodes, 200);  // the loop visited the plans
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
  // Their defaults are those of the published model, or placeholders; a plan without them would still run.
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

/// Whether a tensor of that rank matches the axes of a definition, in which "*" is any number of axes.
bool rank_agrees(const std::string& defined, int64_t rank) {
  const auto tokens = split_axes(defined);
  const bool open = std::find(tokens.begin(), tokens.end(), "*") != tokens.end();
  const auto fixed = static_cast<int64_t>(tokens.size()) - (open ? 1 : 0);
  return open ? rank > fixed : rank == fixed;
}

/// The view of an operand that a kernel would get: strides of a dense buffer, without elements.
TensorView view_of(const Plan& plan, const Node& node, const Operand& operand) {
  const TapInfo& info = plan.tap(operand.name);
  TensorView view{nullptr, DType::f64, info.shape, Shape(info.shape.size(), 1), info.axes};
  for (size_t axis = info.shape.size(); axis-- > 1;) view.strides[axis - 1] = view.strides[axis] * info.shape[axis];
  const AxisSizes& sizes = plan.sizes_of(node);
  if (operand.axes.empty()) return view;
  if (view.viewable_as(operand.axes, sizes)) return view.view_as(operand.axes, sizes);
  view.shape = shape_of(operand.axes, sizes);  // otherwise the kernel gets a copy
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
  for (const Plan& plan : every_plan()) {
    for (const Node& node : plan.nodes) used.insert(node.component);
  }
  const Plan single = build_plan("minimax_m3_vl", tiny_config("minimax_m3_vl"), two_calls());
  const std::vector<Layout> layouts{{.tp = 2, .ep = 2, .rules = ""},
                                    {.ep = 2, .dp = 2, .rules = "", .dispatch = kAllToAll},
                                    {.ep = 2, .dp = 2, .rules = "", .dispatch = kAllGather}};
  for (const Layout& layout : layouts) {
    const Plan divided = sharded_plan(single, layout, registry());
    for (const Node& node : divided.nodes) used.insert(node.component);
  }

  for (const std::string& component : registry().components())
    EXPECT_NE(used.contains(component), registry().component(component).traits.ports_only)
        << component << ": use it in a plan, or declare it ports_only, not both";
  for (const std::string& component : used) EXPECT_NO_THROW(static_cast<void>(registry().component(component)));
}

}  // namespace
}  // namespace parity::reference

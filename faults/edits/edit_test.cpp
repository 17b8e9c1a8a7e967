// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/edit.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "faults/catalogue.hpp"
#include "golden/golden.hpp"
#include "replay/captures/golden_plan.hpp"

namespace parity::faults {
namespace {

const Plan& plan() {
  static const Plan instance = replay::plan_of(golden::Golden::open("golden/data/m3-text-bf16"));
  return instance;
}

const Node& node_at(const Plan& of, const std::string& prefix, const std::string& component) {
  return *std::find_if(of.nodes.begin(), of.nodes.end(), [&](const Node& node) {
    return node.prefix == prefix && node.component.starts_with(component);
  });
}

Fault fault_of(const std::string& component, const std::string& edits, const std::string& at) {
  return parse_faults(fmt::format(R"([{{"id": "x", "title": "t", "component": "{}", "at": ["{}"], "edits": [{}]}}])",
                                  component, at, edits),
                      "test")
      .front();
}

constexpr const char* kNorm = "steps/000/text/layers/00/input_norm";
constexpr const char* kResidual = "steps/000/text/layers/01/attention_residual";

TEST(Edit, ChangesTheNamedNodesAlone) {
  const auto edited =
      applied(fault_of("rms_norm", R"({"set": {"gain_offset": 0.0}})", "*layers/00/input_norm"), plan());

  ASSERT_TRUE(edited.has_value());
  EXPECT_EQ(edited->places.front(), kNorm);
  EXPECT_EQ(std::get<double>(node_at(edited->plan, kNorm, "rms_norm").params.at("gain_offset")), 0.0);
  const char* other = "steps/000/text/layers/01/input_norm";
  EXPECT_EQ(node_at(edited->plan, other, "rms_norm").params, node_at(plan(), other, "rms_norm").params);
}

TEST(Edit, EvaluatesExpressionsOfAxesAndParameters) {
  const auto edited = applied(fault_of("rms_norm", R"json({"set": {"eps": "rsqrt(H)"}})json", kNorm), plan());

  ASSERT_TRUE(edited.has_value());
  const double width = static_cast<double>(plan().sizes.at(0).at('H'));
  EXPECT_EQ(std::get<double>(node_at(edited->plan, kNorm, "rms_norm").params.at("eps")), 1.0 / std::sqrt(width));
}

TEST(Edit, RewiresToATapOfTheSameLayer) {
  const auto edited = applied(
      fault_of("residual_add", R"({"rewire": {"residual": "{at}input_norm/out"}})", "*01/attention_residual"), plan());

  ASSERT_TRUE(edited.has_value());
  EXPECT_EQ(node_at(edited->plan, kResidual, "residual_add").inputs.at("residual").front().name,
            "steps/000/text/layers/01/input_norm/out");
}

/// A kernel would read or write out of bounds of the smaller tap.
TEST(Edit, RefusesAnotherTapOfAnotherSize) {
  const auto rewired = [](const char* edit) {
    return [edit] { static_cast<void>(applied(fault_of("residual_add", edit, "*01/attention_residual"), plan())); };
  };

  EXPECT_THROW(rewired(R"({"rewire": {"residual": "steps/001/text/embed/out"}})")(), Error);
  EXPECT_THROW(rewired(R"({"rewire": {"residuum": "{at}input_norm/out"}})")(), Error);
  EXPECT_THROW(rewired(R"({"input": "x", "map": {"kind": "scale", "number": 2}})")(), Error);
  EXPECT_THROW(rewired(R"({"input": "branch", "map": {"kind": "reverse"}})")(), Error) << "no axis";
}

TEST(Edit, RefusesAComponentOfOtherResults) {
  EXPECT_THROW(static_cast<void>(applied(fault_of("rms_norm", R"({"replace": "router"})", kNorm), plan())), Error);
}

TEST(Edit, WrapsAComponentUnderTheSameSignature) {
  const auto edited =
      applied(fault_of("rms_norm", R"({"output": "out", "map": {"kind": "scale", "number": 2}})", kNorm), plan());

  ASSERT_TRUE(edited.has_value());
  const Node& node = node_at(edited->plan, kNorm, "rms_norm");
  EXPECT_NE(node.component, "rms_norm");
  EXPECT_EQ(edited->registry->component(node.component).outputs.size(), 1U);
  EXPECT_EQ(edited->plan.nodes.size(), plan().nodes.size());
}

TEST(Edit, CarriesRoundingRowsOverToTheFaultyComponent) {
  Plan rounded = plan();
  rounded.rounding["swiglu.product"] = Precision::single;
  rounded.rounding["swiglu.scaled"] = Precision::exact;

  const auto edited = applied(fault_of("swiglu", R"({"replace": "swiglu_mistaken"})", "*"), rounded);

  ASSERT_TRUE(edited.has_value());
  const auto node = std::find_if(edited->plan.nodes.begin(), edited->plan.nodes.end(),
                                 [](const Node& n) { return n.component == "swiglu_mistaken"; });
  ASSERT_NE(node, edited->plan.nodes.end());
  EXPECT_EQ(node->rounding.at("swiglu_mistaken.scaled"), Precision::exact);
}

TEST(Edit, NothingToEditIsNoPlan) {
  EXPECT_FALSE(applied(fault_of("rms_norm", R"({"set": {"eps": 1.0}})", "*no_such_place"), plan()).has_value());
}

TEST(Edit, RefusesWhatTheNodeDoesNotHave) {
  for (const char* edit :
       {R"({"set": {"epsilon": 1.0}})", R"({"round": {"outt": "single"}})", R"({"rewire": {"x": "{at}no_such_tap"}})",
        R"({"weight": "*nothing*", "next": "layers."})", R"({"input": "x", "map": {"kind": "roll", "axis": "Z"}})"}) {
    EXPECT_THROW(static_cast<void>(applied(fault_of("rms_norm", edit, kNorm), plan())), Error) << edit;
  }
}

TEST(EditedWeights, ReadsAnotherTensorOrOtherNumbers) {
  const auto golden = golden::Golden::open("golden/data/m3-text-bf16");
  const std::string q = "language_model.model.layers.0.self_attn.q_proj.weight";
  const std::string next = "language_model.model.layers.1.self_attn.q_proj.weight";
  const int64_t count = element_count(golden.parameters().describe(q).shape);
  std::vector<double> own(static_cast<size_t>(count)), other(own), read(own), halved(own);
  golden.parameters().read(q, own.data());
  golden.parameters().read(next, other.data());
  TensorMap half;
  half.number = "0.5";

  EditedWeights(golden.parameters(), {{q, "", "", "layers.", {}}}).read(q, read.data());
  EditedWeights(golden.parameters(), {{"*q_proj*", "", "", "", half}}).read(q, halved.data());

  EXPECT_EQ(read, other);
  EXPECT_NE(read, own);
  EXPECT_EQ(halved[5], 0.5 * own[5]);
}

}  // namespace
}  // namespace parity::faults

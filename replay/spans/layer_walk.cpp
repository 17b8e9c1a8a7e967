// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/spans/layer_walk.hpp"

#include <algorithm>
#include <limits>

#include "replay/execution/lifetimes.hpp"

namespace parity::replay {
namespace {

template <class Body>
void for_each_tap(const Node& node, const Body& body) {
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind == Operand::Kind::tap) body(operand.name);
    }
  }
}

/// The nodes outside the layers that need no layer: embedding, rotary tables, positions.
std::set<int> before_layers(const Plan& plan, int first_step) {
  std::set<int> before;
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    bool first = plan.nodes[i].layer < 0 && plan.nodes[i].step >= first_step;
    for_each_tap(plan.nodes[i], [&](const std::string& tap) {
      const int producer = plan.tap(tap).producer;
      first = first && (producer < 0 || before.contains(producer));
    });
    if (first) before.insert(static_cast<int>(i));
  }
  return before;
}

}  // namespace

std::vector<Stage> stages_of(const Plan& plan, int first_step) {
  const std::set<int> before = before_layers(plan, first_step);
  constexpr int kAfter = std::numeric_limits<int>::max();
  std::map<int, Stage> stages;  // by layer; those outside of them first and last
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    const int index = static_cast<int>(i), layer = plan.nodes[i].layer;
    if (plan.nodes[i].step < first_step) continue;
    Stage& stage = stages[layer < 0 && !before.contains(index) ? kAfter : layer];
    stage.layer = layer;
    stage.nodes.push_back(index);
  }
  std::vector<Stage> result;
  std::set<int> done;
  for (auto& [order, stage] : stages) {
    const std::set<int> own(stage.nodes.begin(), stage.nodes.end());
    for (const int index : stage.nodes) {
      const Node& node = plan.nodes[static_cast<size_t>(index)];
      for_each_tap(node, [&](const std::string& tap) {
        const int producer = plan.tap(tap).producer;
        if (!own.contains(producer)) stage.reads.insert(tap);
        const bool given = producer < 0 || plan.nodes[static_cast<size_t>(producer)].step < first_step;
        PARITY_CHECK(given || own.contains(producer) || done.contains(producer), unsupported,
                     "{} reads {} of a later layer, so the model cannot be judged layer by layer", node.prefix, tap);
      });
    }
    done.insert(own.begin(), own.end());
    result.push_back(std::move(stage));
  }
  return result;
}

LayerWalk::LayerWalk(const Plan& plan, const Registry& registry, const WeightSource& weights, int first_step)
    : plan_(plan), evaluator_(registry, plan, weights), stages_(stages_of(plan, first_step)) {}

std::vector<std::string> LayerWalk::lacking(size_t stage) const {
  std::vector<std::string> taps;
  for (const std::string& tap : stages_.at(stage).reads) {
    if (!taps_.contains(tap)) taps.push_back(tap);
  }
  return taps;
}

void LayerWalk::set(const std::string& tap, const Tensor& value) { taps_[tap] = {value, value, {}, {}}; }

std::map<std::string, Tensor> LayerWalk::kept() const {
  std::map<std::string, Tensor> result;
  for (const auto& [tap, value] : taps_) result[tap] = value.rounded;
  return result;
}

void LayerWalk::run(size_t stage, const Visit& visit) {
  const Stage& own = stages_.at(stage);
  std::set<std::string> later;
  for (size_t i = stage + 1; i < stages_.size(); ++i) later.insert(stages_[i].reads.begin(), stages_[i].reads.end());
  const auto uses = last_uses(plan_, own.nodes);
  for (const int index : own.nodes) {
    const Node& node = plan_.nodes[static_cast<size_t>(index)];
    Outcome outcome = evaluator_.run(
        node, taps_, [](const std::string&) { return false; }, Evaluator::Lanes::rounded);
    visit(node, outcome);
    keep_outputs(outcome, taps_);
    std::erase_if(taps_, [&](const auto& tap) {
      const auto use = uses.find(tap.first);
      const bool needed = later.contains(tap.first) || plan_.tap(tap.first).producer < 0;
      return !needed && (use == uses.end() || use->second <= index);
    });
  }
}

}  // namespace parity::replay

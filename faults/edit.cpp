// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edit.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "faults/mutants/mapped.hpp"

namespace parity::faults {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// "steps/000/text/layers/01/" of whatever stands in that layer.
std::string layer_of(const std::string& prefix) {
  const size_t layers = prefix.find("/layers/");
  if (layers != std::string::npos) return prefix.substr(0, prefix.find('/', layers + 8) + 1);
  return prefix.substr(0, prefix.rfind('/') + 1);
}

/// Makes the edits of one fault; nodes before and behind the one in hand may be added.
class Planter {
 public:
  Planter(const Plan& clean, Edited& result) : clean_(clean), result_(result) {}

  void plant(const Fault& fault) {
    for (const Node& original : clean_.nodes) {
      node_ = original;
      before_.clear();
      behind_.clear();
      if (concerns(fault, clean_, original)) {
        result_.places.push_back(original.prefix);
        with_context(fmt::format("fault {} at {}", fault.id, original.prefix), [&] {
          for (const Edit& edit : fault.edits) std::visit([&](const auto& e) { make(e); }, edit);
        });
      }
      for (auto* list : {&before_, &behind_}) {
        if (list == &behind_) nodes_.push_back(node_);
        nodes_.insert(nodes_.end(), list->begin(), list->end());
      }
    }
    result_.plan.nodes = std::move(nodes_);
    for (size_t i = 0; i < result_.plan.nodes.size(); ++i) {
      for (const auto& [field, output] : result_.plan.nodes[i].outputs)
        result_.plan.taps.at(output.name).producer = static_cast<int>(i);
    }
  }

 private:
  void make(const SetParam& edit) {
    const ParamMap& defaults = registry().component(node_.component).defaults;
    PARITY_CHECK(defaults.contains(edit.name), usage, "{} has no parameter '{}'", node_.component, edit.name);
    ParamValue& value = node_.params.emplace(edit.name, defaults.at(edit.name)).first->second;
    value = edit.times
                ? std::visit([](auto a, auto b) -> ParamValue { return double(a) * double(b); }, value, edit.value)
                : edit.value;
  }

  void make(const Rewire& edit) {
    std::string tap = replaced(edit.tap, "{prefix}", node_.prefix);
    tap = replaced(tap, "{at}", layer_of(node_.prefix));
    static_cast<void>(clean_.tap(tap));
    Operand& operand = node_.inputs.at(edit.field).front();
    if (operand.axes.empty()) operand.axes = clean_.tap(operand.name).axes;  // the new tap may be recorded under others
    operand.kind = Operand::Kind::tap;
    operand.name = tap;
  }

  void make(const SwapInputs& edit) { std::swap(node_.inputs.at(edit.first), node_.inputs.at(edit.second)); }

  void make(const ReplaceComponent& edit) {
    const std::string old = node_.component + ".";
    RoundingTable rows = node_.rounding;  // they win over the plan's
    rows.insert(clean_.rounding.begin(), clean_.rounding.end());
    for (const auto& [point, precision] : rows) {
      if (point.starts_with(old)) node_.rounding[edit.component + "." + point.substr(old.size())] = precision;
    }
    node_.component = registry().component(edit.component).name;
  }

  void make(const MapWeight& edit) {
    bool any = false;
    for (const auto& [field, list] : node_.inputs) {
      for (const Operand& operand : list) {
        if (operand.kind == Operand::Kind::tap) continue;
        for (const std::string& published : clean_.weights.at(operand.name).published) {
          if (!glob_match(edit.tensor, published)) continue;
          MapWeight one = edit;
          one.tensor = replaced(published, "{}", "*");
          result_.weights.push_back(one);
          any = true;
        }
      }
    }
    PARITY_CHECK(any, usage, "reads no tensor '{}'", edit.tensor);
  }

  /// A tap of our own, between the node and what it reads or writes.
  std::string hidden(const std::string& field, const TapInfo& like, const std::string& axes, const Shape& shape) {
    const std::string name = fmt::format("{}/~{}{}", node_.prefix, field, before_.size() + behind_.size());
    TapInfo info = like;
    info.axes = axes;
    info.shape = shape;
    result_.plan.taps[name] = info;
    return name;
  }

  [[nodiscard]] Node mapping(const TensorMap& map, const TapInfo& info, const std::string& axes,
                             const Shape& shape) const {
    Node node;
    node.component = is_integer(info.type) ? "mapped_ids" : "mapped";
    node.prefix = node_.prefix;
    node.params = params_of(placed(map, axes, shape, clean_.sizes_of(node_)));
    node.step = node_.step;
    node.layer = node_.layer;
    node.sizes = node_.sizes;
    return node;
  }

  [[nodiscard]] Shape shape_under(const std::string& axes, const TapInfo& info) const {
    return axes == info.axes ? info.shape : shape_of(axes, clean_.sizes_of(node_));
  }

  /// A weight as if it were a tap; its axes are those that the component declares.
  [[nodiscard]] TapInfo parameter(const Operand& operand, const std::string& field) const {
    const Definition& definition = registry().component(node_.component);
    const auto index = static_cast<size_t>(definition.input_index(field));
    const std::string axes = operand.axes.empty() ? definition.inputs[index].axes : operand.axes;
    return {axes, clean_.weights.at(operand.name).shape, TapType::wide};
  }

  void make(const MapInput& edit) {
    const auto field = node_.inputs.find(edit.field);
    if (field == node_.inputs.end()) return;  // an optional operand that this call goes without
    for (Operand& operand : field->second) {
      PARITY_CHECK(operand.kind != Operand::Kind::bank, usage, "input '{}' is a bank; edit its weights", edit.field);
      const bool tap = operand.kind == Operand::Kind::tap;
      const TapInfo info = tap ? result_.plan.tap(operand.name) : parameter(operand, edit.field);
      const std::string own = operand.axes.empty() ? info.axes : operand.axes;
      const std::string axes = edit.map.axes.empty() || !tap ? own : edit.map.axes;
      const Shape shape = shape_under(axes, info);
      Node map = mapping(edit.map, info, axes, shape);
      map.inputs["x"] = {{operand.kind, operand.name, tap ? axes : ""}};
      const std::string name = hidden(edit.field, info, axes, shape);
      map.outputs["out"] = {Operand::Kind::tap, name, ""};
      operand = {Operand::Kind::tap, name, own};
      before_.push_back(map);
    }
  }

  void make(const MapOutput& edit) {
    const auto field = node_.outputs.find(edit.field);
    if (field == node_.outputs.end()) return;  // an optional output that this call does not have
    Operand& operand = field->second;
    const std::string target = operand.name;
    const TapInfo info = result_.plan.tap(target);
    const std::string own = operand.axes.empty() ? info.axes : operand.axes;
    const std::string axes = edit.map.axes.empty() ? own : edit.map.axes;
    Node map = mapping(edit.map, info, axes, shape_under(axes, info));
    const std::string name = hidden(edit.field, info, own, shape_under(own, info));
    map.inputs["x"] = {{Operand::Kind::tap, name, axes}};
    map.outputs["out"] = {Operand::Kind::tap, target, axes};
    operand = {Operand::Kind::tap, name, ""};
    for (Node& later : behind_) {  // a second map of the same output stands in front of the first
      for (auto& [found, output] : later.outputs) {
        if (output.name == target) throw Error(ErrorCode::usage, "two maps of one output");
      }
    }
    behind_.push_back(map);
  }

  void make(const SetRounding& edit) {
    PARITY_CHECK(registry().component(node_.component).points.contains(edit.point), usage, "{} has no point '{}'",
                 node_.component, edit.point);
    node_.rounding[node_.component + "." + edit.point] = edit.precision;
  }

  const Plan& clean_;
  Edited& result_;
  Node node_;
  std::vector<Node> before_, behind_, nodes_;
};

}  // namespace

bool concerns(const Fault& fault, const Plan& plan, const Node& node) {
  if (node.component != fault.component) return false;
  if (fault.later_calls_only && (plan.sizes.empty() || node.step == plan.sizes.begin()->first)) return false;
  const auto in = [](const std::vector<std::string>& list, const auto& matches) {
    return list.empty() || std::any_of(list.begin(), list.end(), matches);
  };
  return in(fault.systems, [&](const std::string& system) { return system == plan.system; }) &&
         in(fault.at, [&](const std::string& glob) { return glob_match(glob, node.prefix); });
}

std::optional<Edited> applied(const Fault& fault, const Plan& plan) {
  const auto hit = [&](const Node& node) { return concerns(fault, plan, node); };
  if (std::none_of(plan.nodes.begin(), plan.nodes.end(), hit)) return std::nullopt;
  Edited result{plan, {}, {}};
  Planter(plan, result).plant(fault);
  return result;
}

}  // namespace parity::faults

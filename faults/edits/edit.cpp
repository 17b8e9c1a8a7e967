// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/edit.hpp"

#include <algorithm>
#include <cctype>

#include "core/sharding/local_axes.hpp"
#include "core/text.hpp"
#include "faults/edits/rank_edits.hpp"
#include "replay/execution/execution.hpp"

namespace parity::faults {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// Applies the edits of one fault to the plan.
class Planter {
 public:
  Planter(const Plan& clean, Edited& result) : clean_(clean), result_(result) {}

  void plant(const std::vector<Fault>& faults) {
    for (size_t i = 0; i < clean_.nodes.size(); ++i) {
      node_ = &result_.plan.nodes[i];
      maps_.clear();
      const size_t messages = result_.messages.size();
      bool concerned = false, only_messages = true;
      for (const Fault& fault : faults) {
        if (!concerns(fault, clean_, clean_.nodes[i])) continue;
        concerned = true;
        with_context(fmt::format("fault {} at {}", fault.id, node_->prefix), [&] {
          for (const Edit& edit : fault.edits) std::visit([&](const auto& e) { make(e); }, edit);
        });
        only_messages = only_messages && edits_messages(fault);
      }
      if (!concerned) continue;
      if (agrees(clean_.nodes[i])) {
        PARITY_CHECK(agrees(*node_), usage, "the edits of {} give {} operands whose extents do not match",
                     node_->prefix, node_->component);
      }
      if (only_messages && result_.messages.size() == messages) continue;  // the rank does not hear from that one
      result_.places.push_back(node_->prefix);
      if (only_messages) continue;  // the node is right
      result_.nodes.insert(replay::Computation::key_of(*node_));
      if (!maps_.empty()) wrap(*node_);
    }
    if (own_) result_.registry = own_;
    const auto rounds = [](const Edit& edit) { return std::holds_alternative<SetRounding>(edit); };
    result_.only_later = !coarser_ && std::all_of(faults.begin(), faults.end(), [&](const Fault& fault) {
      return std::all_of(fault.edits.begin(), fault.edits.end(), rounds);
    });
  }

 private:
  /// Returns the names that expressions may use: axis letters and parameters of the node.
  [[nodiscard]] std::map<std::string, double> names() const {
    std::map<std::string, double> result;
    for (const auto& [letter, size] : clean_.sizes_of(*node_))
      result[std::string(1, letter)] = static_cast<double>(size);
    for (const auto& [name, value] : node_->params)
      result[name] = std::visit([](auto number) { return static_cast<double>(number); }, value);
    return result;
  }

  /// Returns the definition of the component that the node has after the edits so far.
  [[nodiscard]] const Definition& definition() const { return (own_ ? *own_ : registry()).component(node_->component); }

  /// Whether each declared axis has one extent in all operands of the node. Otherwise a kernel would read or write out
  /// of bounds. Folded axes and axes proportional to others are not checked.
  [[nodiscard]] bool agrees(const Node& node) const {
    const Definition& component = (own_ ? *own_ : registry()).component(node.component);
    std::map<std::string, int64_t> extents;
    const auto agree = [&](const std::vector<FieldInfo>& fields, const std::string& field, const Operand& operand) {
      const auto info = std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == field; });
      if (info == fields.end() || operand.kind == Operand::Kind::bank) return true;
      const auto tokens = split_axes(info->axes);
      const Shape shape = operand.kind == Operand::Kind::tap && !operand.axes.empty()
                              ? shape_under(clean_, node, operand.axes, clean_.tap(operand.name))
                              : shape_of(operand);
      for (size_t i = 0; i < tokens.size() && tokens.size() == shape.size(); ++i) {
        const bool letter = tokens[i].size() == 1 && std::isupper(static_cast<unsigned char>(tokens[i][0])) != 0;
        if (letter && extents.emplace(tokens[i], shape[i]).first->second != shape[i]) return false;
      }
      return true;
    };
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](const auto& input) {
                         return std::all_of(input.second.begin(), input.second.end(), [&](const Operand& operand) {
                           return agree(component.inputs, input.first, operand);
                         });
                       }) &&
           std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](const auto& output) { return agree(component.outputs, output.first, output.second); });
  }

  void make(const SetParam& edit) {
    const ParamMap& defaults = definition().defaults;
    PARITY_CHECK(defaults.contains(edit.name), usage, "{} has no parameter '{}'", node_->component, edit.name);
    ParamValue& value = node_->params.emplace(edit.name, defaults.at(edit.name)).first->second;
    if (!edit.expression.empty()) {
      value = value_of_expression(edit.expression, names());
      return;
    }
    value = edit.times
                ? std::visit([](auto a, auto b) -> ParamValue { return double(a) * double(b); }, value, edit.value)
                : edit.value;
  }

  [[nodiscard]] const Shape& shape_of(const Operand& operand) const {
    return operand.kind == Operand::Kind::tap ? clean_.tap(operand.name).shape
                                              : result_.plan.weights.at(operand.name).shape;
  }

  /// Refuses another operand of different size, because a kernel would read it out of bounds. Under other axes its
  /// memory order may differ, if `view_as` accepts it.
  void require_as_large(const Operand& own, const Operand& other) const {
    const Shape &ours = shape_of(own), &theirs = shape_of(other);
    const bool renamed = own.kind == Operand::Kind::tap && other.kind == Operand::Kind::tap &&
                         clean_.tap(own.name).axes != clean_.tap(other.name).axes;
    PARITY_CHECK(ours == theirs || (renamed && element_count(ours) == element_count(theirs)), usage,
                 "{} of shape {} cannot be replaced by {} of shape {}", own.name, to_string(ours), other.name,
                 to_string(theirs));
  }

  std::vector<Operand>& operands(const std::string& field) {
    std::vector<std::string> known;
    for (const auto& [name, list] : node_->inputs) known.push_back(name);
    PARITY_CHECK(node_->inputs.contains(field), usage, "{} reads no '{}'{}", node_->component, field,
                 did_you_mean(field, known));
    return node_->inputs.at(field);
  }

  /// Refuses an undeclared operand. A call may lack an optional one, but never has an undeclared one.
  void require_declared(const std::vector<FieldInfo>& fields, const std::string& field) const {
    PARITY_CHECK(declares(fields, field), usage, "{} has no operand '{}'", node_->component, field);
  }

  void make(const Rewire& edit) {
    std::string tap = rewired_tap(edit, *node_);
    if (clean_.aliases.contains(tap)) tap = clean_.aliases.at(tap);
    Operand& operand = operands(edit.field).front();
    require_as_large(operand, {Operand::Kind::tap, tap, {}});
    if (operand.axes.empty()) operand.axes = clean_.tap(operand.name).axes;  // the new tap may be recorded otherwise
    operand.kind = Operand::Kind::tap;
    operand.name = tap;
  }

  void make(const SwapInputs& edit) {
    auto& first = operands(edit.first);
    auto& second = operands(edit.second);
    require_as_large(first.front(), second.front());
    std::swap(first, second);
  }

  void make(const ReplaceComponent& edit) {
    const std::string old = node_->component + ".";
    RoundingTable rows = node_->rounding;  // these take precedence over the plan's
    rows.insert(clean_.rounding.begin(), clean_.rounding.end());
    for (const auto& [point, precision] : rows) {
      if (point.starts_with(old)) node_->rounding[edit.component + "." + point.substr(old.size())] = precision;
    }
    const Definition& definition = registry().component(edit.component);
    for (const auto& [field, output] : node_->outputs)
      PARITY_CHECK(declares(definition.outputs, field), usage, "{} has no output '{}', which {} has", edit.component,
                   field, node_->component);
    for (auto input = node_->inputs.begin(); input != node_->inputs.end();)  // the new component may have fewer inputs
      input = declares(definition.inputs, input->first) ? std::next(input) : node_->inputs.erase(input);
    node_->component = definition.name;
  }

  static bool declares(const std::vector<FieldInfo>& fields, const std::string& name) {
    return std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& field) { return field.name == name; });
  }

  void make(const PassInput& edit) {
    require_declared(definition().inputs, edit.field);
    require_own();
    const std::string name = fmt::format("{}|{}", node_->component, edit.field);
    if (own_->find(name, "reference", "rounded") == nullptr) add_passing(*own_, name, node_->component, edit.field);
    node_->component = name;
  }

  void make(const MapWeight& edit) {
    bool any = false;
    for (const auto& [field, list] : node_->inputs) {
      for (const Operand& operand : list) {
        if (operand.kind == Operand::Kind::tap) continue;
        for (const std::string& published : result_.plan.weights.at(operand.name).published) {
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

  /// Returns a weight described as a tap, with the axes that the component declares.
  [[nodiscard]] TapInfo parameter(const Operand& operand, const std::string& field) const {
    const auto index = static_cast<size_t>(definition().input_index(field));
    const std::string axes = operand.axes.empty() ? definition().inputs[index].axes : operand.axes;
    return {axes, result_.plan.weights.at(operand.name).shape, TapType::wide};
  }

  void make(const MapInput& edit) {
    require_declared(definition().inputs, edit.field);
    const auto field = node_->inputs.find(edit.field);
    if (field == node_->inputs.end()) return;  // this call lacks the optional operand
    for (const Operand& operand : field->second) {
      if (!selects(edit.of, operand, *node_)) continue;
      PARITY_CHECK(operand.kind != Operand::Kind::bank, usage,
                   "input '{}' is the weights of all experts; edit a weight instead", edit.field);
      add_map(edit.field, false, edit.map, operand,
              operand.kind == Operand::Kind::tap ? clean_.tap(operand.name) : parameter(operand, edit.field));
      maps_.back().operand = static_cast<size_t>(&operand - field->second.data());
    }
  }

  void make(const MapOutput& edit) {
    require_declared(definition().outputs, edit.field);
    const auto field = node_->outputs.find(edit.field);
    if (field == node_->outputs.end()) return;  // this call lacks the optional output
    add_map(edit.field, true, edit.map, field->second, clean_.tap(field->second.name));
  }

  void add_map(const std::string& field, bool output, const TensorMap& map, const Operand& operand,
               const TapInfo& info) {
    const std::string axes = operand.axes.empty() ? info.axes : operand.axes;
    maps_.push_back(
        {field, output, placed(map, axes, shape_under(clean_, *node_, axes, info), clean_.sizes_of(*node_), names())});
  }

  void require_own() {
    if (own_) return;
    own_ = std::make_shared<Registry>();
    register_all(*own_);
  }

  /// Replaces the node's component by a new one: the present component under the maps.
  void wrap(Node& node) {
    require_own();
    const std::string name = fmt::format("{}~{}", node.component, result_.places.size());
    add_wrapped(*own_, name, node.component, maps_);
    result_.wrapped[name] = {node.component, maps_};
    node.component = name;
  }

  void make(const RankEdit& edit) { make_rank_edit(edit, clean_, *node_, result_); }

  void make(const SetRounding& edit) {
    PARITY_CHECK(definition().points.contains(edit.point), usage, "{} has no rounding point '{}'", node_->component,
                 edit.point);
    RoundingTable rows = node_->rounding;
    rows.insert(clean_.rounding.begin(), clean_.rounding.end());
    const Precision fallback = definition().points.at(edit.point);
    const Round before = Rounding::oracle(clean_.working, rows).point(node_->component, edit.point, fallback);
    coarser_ = coarser_ || Round{edit.precision, clean_.working}.unit() > before.unit();
    result_.rounded.insert(replay::Computation::key_of(*node_));
    node_->rounding[node_->component + "." + edit.point] = edit.precision;
  }

  const Plan& clean_;
  Edited& result_;
  Node* node_ = nullptr;
  std::vector<OperandMap> maps_;
  std::shared_ptr<Registry> own_;
  bool coarser_ = false;
};

}  // namespace

std::string layer_prefix(const std::string& prefix) {
  const size_t layers = prefix.find("/layers/");
  if (layers != std::string::npos) return prefix.substr(0, prefix.find('/', layers + 8)) + "/";
  return prefix.substr(0, prefix.rfind('/') + 1);
}

Shape shape_under(const Plan& plan, const Node& node, const std::string& axes, const TapInfo& info) {
  if (axes == info.axes || info.axes.empty()) return info.shape;
  AxisSizes sizes = sizes_in(plan.sizes_of(node), info.axes, info.shape);
  if (axes.find('Z') != std::string::npos && !sizes.contains('Z')) {  // a rank's part: what the other axes leave
    sizes['Z'] = 1;
    sizes['Z'] = element_count(info.shape) / std::max<int64_t>(element_count(shape_of(axes, sizes)), 1);
  }
  return shape_of(axes, sizes);
}

std::string rewired_tap(const Rewire& edit, const Node& node) {
  return replaced(replaced(edit.tap, "{prefix}", node.prefix), "{at}", layer_prefix(node.prefix));
}

bool concerns(const Fault& fault, const Plan& plan, const Node& node) {
  if (node.component != fault.component) return false;
  if (fault.later_calls_only && (plan.sizes.empty() || node.step == plan.sizes.begin()->first)) return false;
  const auto in = [](const std::vector<std::string>& list, const auto& matches) {
    return list.empty() || std::any_of(list.begin(), list.end(), matches);
  };
  return in(fault.systems, [&](const std::string& system) { return system == plan.system; }) &&
         in(fault.at, [&](const std::string& glob) { return glob_match(glob, node.prefix); });
}

Edited unedited(const Plan& plan) {
  return {plan, {&registry(), [](const Registry*) {}}, {}, {}, {}, {}};  // a static object, which needs no owner
}

std::optional<Edited> applied(const Fault& fault, const Plan& plan) { return applied(std::vector{fault}, plan); }

std::optional<Edited> applied(const std::vector<Fault>& faults, const Plan& plan) {
  const auto hit = [&](const Node& node) {
    return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) { return concerns(fault, plan, node); });
  };
  if (std::none_of(plan.nodes.begin(), plan.nodes.end(), hit)) return std::nullopt;
  Edited result = unedited(plan);
  Planter(plan, result).plant(faults);
  return result;
}

}  // namespace parity::faults

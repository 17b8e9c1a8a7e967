// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/chain.hpp"

#include <algorithm>

namespace parity::replay {
namespace {

/// An output of a part, such as "0.out".
struct Link {
  size_t part = 0;
  std::string field;
};
std::optional<Link> link_of(const std::string& name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return std::nullopt;
  return Link{static_cast<size_t>(std::stoul(name.substr(0, dot))), name.substr(dot + 1)};
}

/// Builds a chain backwards from its last node. Each function returns false when the nodes cannot be a chain.
class Matcher {
 public:
  Matcher(const Plan& plan, const std::map<std::string, std::set<int>>& readers, const Registry& components,
          const Definition& fusion, const std::vector<FusedPart>& parts)
      : plan_(plan), readers_(readers), components_(components), fusion_(fusion), parts_(parts) {
    chain_.nodes.assign(parts.size(), kOpen);
  }

  std::optional<Chain> match(int last) {
    chain_.nodes.back() = last;
    const Node& end = plan_.nodes[static_cast<size_t>(last)];
    chain_.fused = {fusion_.name, end.prefix, {}, {}, {}, {}, end.step, end.layer, end.sizes};
    for (size_t part = parts_.size(); part-- > 0;) {
      if (chain_.nodes[part] == kOpen || !takes(part)) return std::nullopt;
    }
    if (!alone()) return std::nullopt;
    std::erase(chain_.nodes, kDecoder);
    return chain_;
  }

 private:
  static constexpr int kOpen = -1, kDecoder = -2;  // a part not visited yet; one whose node stays in the plan

  bool takes(size_t part) {
    if (parts_[part].of_parameter) return true;  // belongs to the part that reads it
    const Node& node = plan_.nodes[static_cast<size_t>(chain_.nodes[part])];
    const bool here =
        node.component == parts_[part].component && node.step == chain_.fused.step && node.sizes == chain_.fused.sizes;
    return here && takes_inputs(part, node) && takes_outputs(part, node) && takes_params(parts_[part], node);
  }

  bool takes_inputs(size_t part, const Node& node) {
    const auto& wanted = parts_[part].inputs;
    for (const auto& [field, list] : node.inputs) {
      if (!wanted.contains(field)) return false;
    }
    for (const auto& [field, source] : wanted) {
      const auto list = node.inputs.find(field);
      const auto link = link_of(source.name);
      if (list == node.inputs.end()) {
        if (link || !optional(source.name)) return false;
        continue;
      }
      if (list->second.size() != 1 || !agrees(source.axes, list->second.front())) return false;
      if (!(link ? follows(*link, list->second.front()) : gives(source.name, list->second))) return false;
    }
    return true;
  }

  [[nodiscard]] bool optional(const std::string& input) const {
    return fusion_.inputs[static_cast<size_t>(fusion_.input_index(input))].optional;
  }

  /// Adds an input of the fusion. Returns false if another part reads a different operand under this name.
  bool gives(const std::string& input, const std::vector<Operand>& operands) {
    const auto [known, fresh] = chain_.fused.inputs.emplace(input, operands);
    const Operand &one = known->second.front(), &other = operands.front();
    return fresh || (one.kind == other.kind && one.name == other.name && one.axes == other.axes);
  }

  bool follows(const Link& link, const Operand& operand) {
    int& producer = chain_.nodes[link.part];
    if (parts_[link.part].of_parameter) return operand.kind == Operand::Kind::weight && decodes(link.part, operand);
    if (operand.kind != Operand::Kind::tap) return false;
    const int node = plan_.tap(operand.name).producer;
    if (node < 0 || (producer >= 0 && producer != node)) return false;
    const auto& outputs = plan_.nodes[static_cast<size_t>(node)].outputs;
    const auto output = outputs.find(link.field);
    producer = node;
    return output != outputs.end() && output->second.name == operand.name;
  }

  /// Whether a node decodes the published tensors of `weight` as a whole matrix.
  bool decodes(size_t part, const Operand& weight) {
    const WeightInfo& read = plan_.weights.at(weight.name);
    for (const Node& node : plan_.nodes) {
      if (node.component != parts_[part].component || read.held != Held::working) continue;
      const auto codes = node.inputs.find("codes");
      const WeightInfo& stored = plan_.weights.at(codes->second.front().name);
      if (stored.published != read.published || stored.shape != read.shape) continue;
      chain_.nodes[part] = kDecoder;
      return takes_inputs(part, node) && takes_params(parts_[part], node);
    }
    return false;
  }

  bool takes_outputs(size_t part, const Node& node) {
    const auto& wanted = parts_[part].outputs;
    for (const auto& [field, output] : node.outputs) {
      const auto known = wanted.find(field);
      if (known == wanted.end() || !agrees(known->second.axes, output)) return false;
      if (!known->second.name.empty()) {
        chain_.fused.outputs[known->second.name] = output;
        continue;
      }
      if (plan_.tap(output.name).type != TapType::working) return false;
      chain_.inner.insert(output.name);
    }
    return node.outputs.size() == wanted.size();
  }

  bool takes_params(const FusedPart& part, const Node& node) {
    ParamMap params = components_.component(part.component).defaults;
    for (const auto& [name, value] : params) {
      const auto set = node.params.find(name);
      const ParamValue& held = set == node.params.end() ? value : set->second;
      const auto named = part.params.find(name);
      const auto fixed = part.fixed.find(name);
      if (named != part.params.end()) {
        const auto [known, fresh] = chain_.fused.params.emplace(named->second, held);
        if (!fresh && known->second != held) return false;
      } else if (held != (fixed == part.fixed.end() ? value : fixed->second)) {
        return false;
      }
    }
    for (const auto& [point, precision] : node.rounding) {
      const auto [known, fresh] = chain_.fused.rounding.emplace(point, precision);
      if (!fresh && known->second != precision) return false;
    }
    return true;
  }

  /// Whether each letter of the fusion stands for one axis of the plan.
  bool agrees(const std::string& axes, const Operand& operand) {
    if (operand.kind == Operand::Kind::bank) return false;
    auto declared = split_axes(axes);
    if (operand.kind == Operand::Kind::weight) return declared.size() == plan_.weights.at(operand.name).shape.size();
    auto actual = split_axes(operand.axes.empty() ? plan_.tap(operand.name).axes : operand.axes);
    if (!declared.empty() && declared.front() == "*") {
      declared.erase(declared.begin());
      if (actual.size() <= declared.size()) return false;
      actual.erase(actual.begin(), actual.end() - static_cast<int64_t>(declared.size()));
    }
    if (actual.size() != declared.size()) return false;
    for (size_t axis = 0; axis < declared.size(); ++axis) {
      const auto [known, fresh] = axes_.emplace(declared[axis], actual[axis]);
      if (!fresh && known->second != actual[axis]) return false;
    }
    return true;
  }

  /// Whether no other node reads the inner taps, or reads an output before the chain ends.
  [[nodiscard]] bool alone() const {
    const int last = chain_.nodes.back();
    const auto ours = [&](int node) {
      return std::find(chain_.nodes.begin(), chain_.nodes.end(), node) != chain_.nodes.end();
    };
    for (const auto& [alias, tap] : plan_.aliases) {
      if (chain_.inner.contains(tap)) return false;
    }
    const auto none = [&](const std::string& tap, const auto& wrong) {
      const auto found = readers_.find(tap);
      return found == readers_.end() || std::none_of(found->second.begin(), found->second.end(), wrong);
    };
    const bool hidden = std::all_of(chain_.inner.begin(), chain_.inner.end(), [&](const std::string& tap) {
      return none(tap, [&](int node) { return !ours(node); });
    });
    return hidden && std::all_of(chain_.fused.outputs.begin(), chain_.fused.outputs.end(), [&](const auto& output) {
             return none(output.second.name, [&](int node) { return node < last && !ours(node); });
           });
  }

  const Plan& plan_;
  const std::map<std::string, std::set<int>>& readers_;
  const Registry& components_;
  const Definition& fusion_;
  const std::vector<FusedPart>& parts_;
  std::map<std::string, std::string> axes_;
  Chain chain_;
};

}  // namespace

std::map<std::string, std::set<int>> readers_of(const Plan& plan) {
  std::map<std::string, std::set<int>> readers;
  for (size_t node = 0; node < plan.nodes.size(); ++node) {
    for (const auto& [field, list] : plan.nodes[node].inputs) {
      for (const Operand& operand : list) {
        if (operand.kind == Operand::Kind::tap) readers[operand.name].insert(static_cast<int>(node));
      }
    }
  }
  return readers;
}

std::optional<Chain> chain_at(const Plan& plan, const std::map<std::string, std::set<int>>& readers,
                              const Registry& components, const Definition& fusion, const std::vector<FusedPart>& parts,
                              int last) {
  return Matcher(plan, readers, components, fusion, parts).match(last);
}

}  // namespace parity::replay

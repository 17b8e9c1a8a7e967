// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/spans/plan_work.hpp"

#include <algorithm>
#include <cmath>

#include "core/sharding/local_axes.hpp"

namespace parity::replay {
namespace {

/// Shape and element size of an operand, as the kernel sees it.
struct Seen {
  Shape shape;
  int64_t element = 0;  // bytes

  [[nodiscard]] double bytes() const { return static_cast<double>(element_count(shape) * element); }
};

Seen seen(const Plan& plan, const Operand& operand, const AxisSizes& sizes) {
  if (operand.kind != Operand::Kind::tap) {
    const WeightInfo& info = plan.weights.at(operand.name);
    const bool single = info.held == Held::single && plan.working != DType::f64;
    return {info.shape, info.held == Held::stored ? 1 : size_of(single ? DType::f32 : plan.working)};
  }
  const TapInfo& info = plan.tap(operand.name);
  const int64_t element = size_of(plan.dtype_of(info.type));
  if (operand.axes.empty() || operand.axes == info.axes) return {info.shape, element};
  return {shape_of(operand.axes, sizes_in(sizes, info.axes, info.shape)), element};
}

/// Takes the extents of a field's letters from an operand's shape. Leading axes ("*") count as tokens of one sequence.
void take_letters(const FieldInfo& field, const Shape& shape, AxisSizes& sizes) {
  const auto tokens = split_axes(field.axes);
  const bool leading = !tokens.empty() && tokens.front() == "*";
  if (leading ? shape.size() + 1 < tokens.size() : shape.size() != tokens.size()) return;
  const size_t skipped = leading ? shape.size() + 1 - tokens.size() : 0;
  if (leading) {
    sizes['B'] = 1;
    sizes['S'] = element_count({shape.begin(), shape.begin() + static_cast<int64_t>(skipped)});
  }
  for (size_t i = leading ? 1 : 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    const int64_t extent = shape[leading ? skipped + i - 1 : i];
    if (token.size() == 1 && token != "1") sizes[token.front()] = extent;
    if (token.size() == 2 && token.front() <= '9') sizes[token.back()] = extent / (token.front() - '0');
  }
}

/// A node with the extents of its component's letters.
class Counted {
 public:
  Counted(const Plan& plan, const Node& node, const Definition& definition)
      : plan_(plan), node_(node), definition_(definition), sizes_(plan.sizes_of(node)) {
    const AxisSizes call = sizes_;
    experts_ = call.contains('E') ? call.at('E') : 0;
    for (const FieldInfo& field : definition.inputs) {
      const auto list = node.inputs.find(field.name);
      if (list == node.inputs.end()) continue;
      for (const Operand& operand : list->second) inputs_.emplace_back(&operand, seen(plan, operand, call));
      take_letters(field, seen(plan, list->second.front(), call).shape, sizes_);
    }
    for (const FieldInfo& field : definition.outputs) {
      const auto output = node.outputs.find(field.name);
      if (output == node.outputs.end()) continue;
      const Seen made = seen(plan, output->second, call);
      take_letters(field, made.shape, sizes_);
      if (!field.optional && !is_cache(output->second.name)) work_.written += made.bytes();
      grows_ = grows_ || is_cache(output->second.name);
    }
  }

  PlanWork count() {
    work_.flops = flops();
    for (const auto& [operand, given] : inputs_) {
      if (operand->kind == Operand::Kind::bank) {
        work_.weights += members_reached(plan_.weights.at(operand->name).members) * given.bytes();
      } else if (operand->kind == Operand::Kind::weight) {
        work_.weights += given.bytes();
      } else if (grows_) {
        if (!is_cache(operand->name)) work_.written += given.bytes();
        if (!is_cache(operand->name)) work_.read += given.bytes();
      } else {
        work_.read += read_of(*operand, given);
        if (is_cache(operand->name)) work_.cached += read_of(*operand, given);
      }
    }
    return work_;
  }

 private:
  [[nodiscard]] bool is_cache(const std::string& tap) const { return plan_.histories.contains(tap); }
  /// Choices of experts that fall to a rank with this many experts, if the choices are spread evenly.
  [[nodiscard]] double choices(int64_t members) const {
    const double all = elements(sizes_, "NT");
    return experts_ <= members ? all : std::ceil(all * static_cast<double>(members) / static_cast<double>(experts_));
  }
  [[nodiscard]] double members_reached(int64_t members) const {
    return std::min(static_cast<double>(members), choices(members));
  }

  [[nodiscard]] double flops() const {
    if (definition_.flops == nullptr) return 0.0;
    ParamMap params = definition_.defaults;
    for (const auto& [name, value] : node_.params) params[name] = value;
    const double all = definition_.flops(sizes_, params);
    for (const auto& [operand, given] : inputs_) {
      if (operand->kind == Operand::Kind::bank)
        return all / elements(sizes_, "NT") * choices(plan_.weights.at(operand->name).members);
    }
    return all;
  }

  /// Attention to chosen blocks reads the slots that queries see, at most all of them.
  [[nodiscard]] double read_of(const Operand& operand, const Seen& given) const {
    const auto is = [&](const char* field) {
      const auto list = node_.inputs.find(field);
      return list != node_.inputs.end() && &list->second.front() == &operand;
    };
    if (!node_.inputs.contains("blocks") || !(is("k") || is("v"))) return given.bytes();
    const double visible = flops() / (4.0 * elements(sizes_, "BAD")), slots = elements(sizes_, "K");
    return given.bytes() * std::min(1.0, visible / slots);
  }

  const Plan& plan_;
  const Node& node_;
  const Definition& definition_;
  AxisSizes sizes_;
  int64_t experts_ = 0;
  bool grows_ = false;  // it appends to a cache
  std::vector<std::pair<const Operand*, Seen>> inputs_;
  PlanWork work_;
};

}  // namespace

PlanWork& PlanWork::operator+=(const PlanWork& other) {
  flops += other.flops;
  weights += other.weights;
  read += other.read;
  cached += other.cached;
  written += other.written;
  return *this;
}

PlanWork work_of(const Plan& plan, const Node& node, const Registry& components) {
  return with_context(node.prefix, [&] { return Counted(plan, node, components.component(node.component)).count(); });
}

PlanWork work_of(const Plan& plan, const Registry& components) {
  PlanWork total;
  for (const Node& node : plan.nodes) total += work_of(plan, node, components);
  return total;
}

}  // namespace parity::replay

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/plan_writer.hpp"

namespace parity {

Node& NodeWriter::node() { return writer_.plan_.nodes[node_]; }

NodeWriter& NodeWriter::param(const std::string& name, ParamValue value) {
  node().params[name] = value;
  return *this;
}

NodeWriter& NodeWriter::tap(const std::string& field, const std::string& tap, const std::string& axes) {
  node().inputs[field].push_back({Operand::Kind::tap, writer_.named(tap), axes});
  return *this;
}

NodeWriter& NodeWriter::whole_tap(const std::string& field, const std::string& tap, const std::string& axes) {
  node().inputs[field].push_back({Operand::Kind::tap, tap, axes});
  return *this;
}

NodeWriter& NodeWriter::weight(const std::string& field, const std::vector<std::string>& published,
                               const std::string& axes, Held held) {
  return parameter(Operand::Kind::weight, field, published, axes, 0, held);
}

NodeWriter& NodeWriter::precision(const std::string& point, Precision precision) {
  node().rounding[node().component + "." + point] = precision;
  return *this;
}

NodeWriter& NodeWriter::bank(const std::string& field, const std::vector<std::string>& published,
                             const std::string& axes, int64_t members) {
  return parameter(Operand::Kind::bank, field, published, axes, members, Held::working);
}

NodeWriter& NodeWriter::parameter(Operand::Kind kind, const std::string& field,
                                  const std::vector<std::string>& published, const std::string& axes, int64_t members,
                                  Held held) {
  const std::string name = fmt::format("{}", fmt::join(published, "+"));
  writer_.plan_.weights[name] = {published, shape_of(axes, writer_.sizes_), members, held};
  node().inputs[field].push_back({kind, name, axes});
  return *this;
}

NodeWriter& NodeWriter::out(const std::string& field, const std::string& suffix, const std::string& axes, TapType type,
                            const std::string& kernel_axes) {
  const std::string& prefix = node().prefix;
  const std::string name = suffix.empty() ? prefix : prefix + (prefix.ends_with('/') ? "" : "/") + suffix;
  const TapInfo info{axes, shape_of(axes, writer_.sizes_), type, static_cast<int>(node_)};
  PARITY_CHECK(writer_.plan_.taps.emplace(name, info).second, internal, "tap {} is assigned twice", name);
  node().outputs[field] = {Operand::Kind::tap, name, kernel_axes};
  return *this;
}

NodeWriter& NodeWriter::one_for_all_rows() {
  for (const auto& [field, output] : node().outputs) writer_.plan_.taps.at(output.name).one_for_all_rows = true;
  return *this;
}

void PlanWriter::begin_call(int step, const std::string& root, const AxisSizes& sizes, const std::string& inputs) {
  step_ = step;
  root_ = root;
  inputs_ = inputs.empty() ? root : inputs;
  sizes_ = sizes;
  layer_ = -1;
  plan_.sizes[step] = sizes;
}

void PlanWriter::begin_tower(const AxisSizes& sizes) {
  outside_ = sizes_;
  tower_ = sizes;
  for (const auto& [axis, size] : sizes) sizes_[axis] = size;
}

void PlanWriter::end_tower() {
  sizes_ = outside_;
  tower_.clear();
  layer_ = -1;
}

void PlanWriter::input(const std::string& tap, const std::string& axes, TapType type) {
  plan_.taps[named(tap)] = {axes, shape_of(axes, sizes_), type, -1};
}

void PlanWriter::alias(const std::string& tap, const std::string& repeated) {
  plan_.aliases[root_ + tap] = root_ + repeated;
}

void PlanWriter::history(const std::string& cache, const std::string& fresh, const std::string& axes,
                         const std::string& past, int64_t first) {
  std::vector<HistoryPart> parts;
  if (!past.empty()) parts = plan_.histories.at(past);
  parts.push_back({root_ + fresh, axes, first, sizes_.at('S')});
  plan_.histories[root_ + cache] = std::move(parts);
}

void PlanWriter::new_history(const std::string& cache, const std::string& axes, int64_t slots) {
  plan_.histories[root_ + cache] = {{root_ + cache, axes, 0, slots}};
}

NodeWriter PlanWriter::node(const std::string& component, const std::string& prefix) {
  Node node;
  node.component = component;
  node.prefix = root_ + prefix;
  node.step = step_;
  node.layer = layer_;
  node.sizes = tower_;
  plan_.nodes.push_back(std::move(node));
  return {*this, plan_.nodes.size() - 1};
}

void PlanWriter::apply(const ParamMap& settings) {
  for (const auto& [key, value] : settings) {
    const size_t dot = key.find('.');
    for (Node& node : plan_.nodes) {
      if (node.component == key.substr(0, dot)) node.params[key.substr(dot + 1)] = value;
    }
  }
}

}  // namespace parity

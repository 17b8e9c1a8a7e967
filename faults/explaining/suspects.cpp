// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/core.h>

#include "faults/explaining/suspects_support.hpp"

namespace parity::faults {
namespace {

using namespace suspects;
using Kind = TensorMap::Kind;

double number_of(const ParamValue& value) {
  return std::visit([](auto number) { return static_cast<double>(number); }, value);
}

/// Returns the values that the parameter has elsewhere: in nodes of the plan and in declarations of components.
std::set<double> values_elsewhere(const Base& base, const std::string& name) {
  std::set<double> values;
  for (const Node& node : base.plan.nodes) {
    const auto found = node.params.find(name);
    if (found != node.params.end()) values.insert(number_of(found->second));
  }
  for (const std::string& component : registry().components()) {
    const ParamMap& defaults = registry().component(component).defaults;
    const auto found = defaults.find(name);
    if (found != defaults.end()) values.insert(number_of(found->second));
  }
  return values;
}

/// Returns wrong values that a mistake could give: other units, powers, signs, narrower types, extents of the node.
std::vector<double> real_values(const Base& base, const Node& node, const std::string& name, double right) {
  std::set<double> values = values_elsewhere(base, name);
  values.insert({0.0, 1.0, -1.0, 2.0, 0.5, -right, right * right, right + 1.0, right - 1.0, 1e30});
  if (right != 0.0) values.insert(1.0 / right);
  if (right > 0.0) values.insert({std::sqrt(right), 1.0 / std::sqrt(right)});
  for (int power = 1; power <= 8; ++power) {  // includes units and forgotten exponents
    for (const double base_of_power : {2.0, 10.0}) {
      values.insert(right * std::pow(base_of_power, power));
      values.insert(right / std::pow(base_of_power, power));
    }
    values.insert(std::pow(10.0, -power));
  }
  for (const double part : {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001}) {  // start values of the search
    values.insert(right * (1.0 + part));
    values.insert(right * (1.0 - part));
  }
  for (const DType narrow : {DType::f32, DType::f16, DType::bf16, DType::e4m3fn, DType::e5m2})
    values.insert(round_to(narrow, right));
  for (const auto& [letter, size] : base.plan.sizes_of(node)) {
    const auto extent = static_cast<double>(size);
    if (size > 1) values.insert({extent, 1.0 / extent, std::sqrt(extent), 1.0 / std::sqrt(extent)});
  }
  values.erase(right);
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double x) { return std::isfinite(x); });
  return finite;
}

/// Returns every small integer, and those from which sizes are made.
std::vector<double> integer_values(const Base& base, const Node& node, const std::string& name, double right) {
  constexpr double kMost = 64.0;  // covers the counts of heads, blocks and experts of the recorded small models
  std::set<double> values;
  for (const double value : values_elsewhere(base, name)) values.insert(value);
  for (double value = -1.0; value <= std::min(std::max(2.0 * right, 8.0), kMost); value += 1.0) values.insert(value);
  for (const double step : {-1.0, 1.0}) values.insert(right + step);
  for (double factor = 2.0; factor <= 16.0; factor *= 2.0) {
    values.insert(right * factor);
    values.insert(std::floor(right / factor));
  }
  for (const auto& [letter, size] : base.plan.sizes_of(node)) values.insert(static_cast<double>(size));
  values.erase(right);
  return {values.begin(), values.end()};
}

Unknown unknown_parameter(const Base& base, const Node& node, const std::string& name, const ParamValue& right,
                          const std::vector<Edit>& before) {
  Unknown unknown;
  unknown.name = name;
  unknown.integer = std::holds_alternative<int64_t>(right);
  unknown.values = unknown.integer ? integer_values(base, node, name, number_of(right))
                                   : real_values(base, node, name, number_of(right));
  const bool integer = unknown.integer;
  unknown.fault = [node, before, name, integer](double value) {
    std::vector<Edit> edits = before;
    edits.emplace_back(
        SetParam{name, integer ? ParamValue(static_cast<int64_t>(value)) : ParamValue(value), false, {}});
    return fault_of(node, edits);
  };
  return unknown;
}

/// Whether each axis of `other` is one of the node's. With other extents a kernel would write out of bounds.
class SameExtents {
 public:
  [[nodiscard]] bool hold(const std::string& other, const std::string& own) {
    const auto theirs = split_axes(other), ours = split_axes(own);
    if (theirs.size() != ours.size()) return false;
    for (size_t i = 0; i < theirs.size(); ++i) {
      if (theirs[i].size() > 1 && theirs[i] != ours[i]) return false;  // "2F" is proportional to another axis
      if (own_.emplace(theirs[i], ours[i]).first->second != ours[i]) return false;
    }
    return true;
  }

 private:
  std::map<std::string, std::string> own_;  // key: axis of the other component
};

/// Whether `other` has operands of the same names, as far as it needs them, and every output of the node.
bool could_stand_for(const Definition& other, const Definition& own, const Node& node) {
  const auto in = [](const std::vector<FieldInfo>& fields, const std::string& name) {
    return std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& field) { return field.name == name; });
  };
  SameExtents extents;
  for (const FieldInfo& field : other.inputs) {
    const auto same = in(own.inputs, field.name);
    if (same == own.inputs.end()) {
      if (!field.optional) return false;
      continue;
    }
    if (!node.inputs.contains(field.name) && !field.optional) return false;
    if (!extents.hold(field.axes, same->axes)) return false;  // another node of the component may have it
  }
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](const auto& output) {
    const auto same = in(other.outputs, output.first);
    const auto ours = in(own.outputs, output.first);
    return same != other.outputs.end() && same->judge == ours->judge && extents.hold(same->axes, ours->axes);
  });
}

std::vector<std::string> stand_ins(const Node& node) {
  std::vector<std::string> names;
  const Definition& own = definition_of(node);
  for (const std::string& name : registry().components()) {
    if (name != node.component && could_stand_for(registry().component(name), own, node)) names.push_back(name);
  }
  return names;
}

/// Adds the stand-in, with flags and counts that only it has: each singly, then two at once.
void add_stand_in(const Node& node, const std::string& name, Suspects& suspects) {
  const ParamMap& own = definition_of(node).defaults;
  const ParamMap& theirs = registry().component(name).defaults;
  suspects.push_back(fault_of(node, {ReplaceComponent{name}}));
  std::vector<Edit> flags;
  for (const auto& [param, value] : theirs) {
    if (!own.contains(param) && std::holds_alternative<bool>(value))
      flags.emplace_back(SetParam{param, !std::get<bool>(value), false, {}});
  }
  for (const Edit& flag : flags) suspects.push_back(fault_of(node, {ReplaceComponent{name}, flag}));
  for (size_t i = 0; i < flags.size(); ++i) {
    for (size_t j = i + 1; j < flags.size(); ++j)
      suspects.push_back(fault_of(node, {ReplaceComponent{name}, flags[i], flags[j]}));
  }
}

void add_roundings(const Base& base, const Node& node, Suspects& suspects) {
  const Definition& definition = definition_of(node);
  RoundingTable rows = node.rounding;
  rows.insert(base.plan.rounding.begin(), base.plan.rounding.end());
  for (const Precision precision : {Precision::working, Precision::single, Precision::exact}) {
    std::vector<Edit> all;
    for (const auto& [point, usual] : definition.points) {
      const auto row = rows.find(node.component + "." + point);
      if ((row == rows.end() ? usual : row->second) == precision) continue;
      all.emplace_back(SetRounding{point, precision});
      suspects.push_back(suspect_of(base, node, all.back()));
    }
    if (all.size() > 1) suspects.push_back(fault_of(node, all));
  }
}

}  // namespace

std::vector<Unknown> unknowns_of(const Base& base, const Node& node) {
  std::vector<Unknown> unknowns;
  const Definition& definition = definition_of(node);
  for (const auto& [name, value] : params_of(node, definition)) {
    if (!std::holds_alternative<bool>(value)) unknowns.push_back(unknown_parameter(base, node, name, value, {}));
  }
  for (const std::string& other : stand_ins(node)) {
    for (const auto& [name, value] : registry().component(other).defaults) {
      if (definition.defaults.contains(name) || std::holds_alternative<bool>(value)) continue;
      unknowns.push_back(unknown_parameter(base, node, name, value, {ReplaceComponent{other}}));
    }
  }
  const auto factor = [&](const std::string& name, bool output, Kind kind, bool integer) {
    Unknown unknown;
    unknown.name = name;
    unknown.integer = integer;
    unknown.values = kind == Kind::scale ? std::vector<double>{-1.0, 0.0, 2.0, 0.5, 4.0, 0.25, 1.01, 0.99, 1.1, 0.9}
                                         : std::vector<double>{-1.0, 1.0, -2.0, 2.0};
    if (kind == Kind::modulo) unknown.values = {2, 4, 8, 16, 32, 64, 128, 256};
    if (kind == Kind::at_least || kind == Kind::at_most) unknown.values = {0.0, 1.0};
    unknown.fault = [node, name, output, kind](double value) {
      TensorMap map = map_of(kind);
      map.number = fmt::format("{}", value);
      return fault_of(node, {output ? Edit(MapOutput{name, map}) : Edit(MapInput{name, map})});
    };
    unknowns.push_back(unknown);
  };
  for (const Read& read : reads_of(base, node)) {
    if (!read.integer) factor(read.field, false, Kind::scale, false);
    factor(read.field, false, Kind::offset, read.integer);
    if (read.integer) factor(read.field, false, Kind::modulo, true);
    if (read.integer) factor(read.field, false, Kind::scale, true);
    factor(read.field, false, Kind::at_least, true);
    factor(read.field, false, Kind::at_most, true);
  }
  for (const auto& [field, output] : node.outputs) {
    const bool integer = is_integer(base.plan.tap(output.name).type);
    if (!integer) factor(field, true, Kind::scale, false);
    factor(field, true, Kind::offset, integer);
    factor(field, true, Kind::at_least, true);
    factor(field, true, Kind::at_most, true);
  }
  return unknowns;
}

Fault suspect_of(const Base& base, const Node& node, const Edit& edit) {
  Fault fault = fault_of(node, {edit});
  const auto* rounding = std::get_if<SetRounding>(&edit);
  if (rounding == nullptr || rounding->point != "constant" || rounding->precision == Precision::exact) return fault;
  const DType type = rounding->precision == Precision::working ? base.plan.working : DType::f32;
  for (const auto& [name, value] : params_of(node, definition_of(node))) {
    const auto* number = std::get_if<double>(&value);
    if (number != nullptr && round_to(type, *number) != *number)
      fault.title += fmt::format(", {} {} becomes {}", name, *number, round_to(type, *number));
  }
  return fault;
}

Suspects functions_of(const Base& base, const Node& node) {
  Suspects suspects;
  for (const auto& [name, value] : params_of(node, definition_of(node))) {
    if (std::holds_alternative<bool>(value))
      suspects.push_back(fault_of(node, {SetParam{name, !std::get<bool>(value), false, {}}}));
  }
  for (const std::string& other : stand_ins(node)) add_stand_in(node, other, suspects);
  for (const Read& read : reads_of(base, node)) {
    if (!read.integer && node.outputs.size() == 1) suspects.push_back(fault_of(node, {PassInput{read.field}}));
  }
  add_roundings(base, node, suspects);
  return suspects;
}

}  // namespace parity::faults

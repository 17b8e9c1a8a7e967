// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/core.h>

#include "core/plan.hpp"
#include "faults/notation.hpp"

namespace parity::faults {
namespace {

using Kind = TensorMap::Kind;

Fault fault_of(const Node& node, std::vector<Edit> edits) {
  Fault fault;
  fault.component = node.component;
  fault.edits = std::move(edits);
  fault.title = words_of(fault.edits);
  fault.id = notation_of(fault);
  return fault;
}

const Definition& definition_of(const Node& node) { return registry().component(node.component); }

ParamMap params_of(const Node& node, const Definition& definition) {
  ParamMap params = node.params;
  params.insert(definition.defaults.begin(), definition.defaults.end());
  return params;
}

double number_of(const ParamValue& value) {
  return std::visit([](auto number) { return static_cast<double>(number); }, value);
}

/// Values of the same parameter anywhere else: of the plan's nodes and of every component's declaration.
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

/// Numbers that a mistake makes of a right one: other units, powers, signs, narrower types, extents of the node.
std::vector<double> real_values(const Base& base, const Node& node, const std::string& name, double right) {
  std::set<double> values = values_elsewhere(base, name);
  values.insert({0.0, 1.0, -1.0, 2.0, 0.5, -right, right * right, right + 1.0, right - 1.0, 1e30});
  if (right != 0.0) values.insert(1.0 / right);
  if (right > 0.0) values.insert({std::sqrt(right), 1.0 / std::sqrt(right)});
  for (int power = 1; power <= 8; ++power) {  // far enough for units and forgotten exponents
    for (const double base_of_power : {2.0, 10.0}) {
      values.insert(right * std::pow(base_of_power, power));
      values.insert(right / std::pow(base_of_power, power));
    }
    values.insert(std::pow(10.0, -power));
  }
  for (const double part : {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001}) {  // what a search starts from
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

/// Every small integer, and those that sizes are made of.
std::vector<double> integer_values(const Base& base, const Node& node, const std::string& name, double right) {
  constexpr double kMost = 64.0;  // every count of heads, blocks and experts of the small models that are recorded
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

TensorMap map_of(Kind kind, const std::string& axis = {}) {
  TensorMap map;
  map.kind = kind;
  map.axis = axis;
  return map;
}

/// The same operands under the same names, as far as `other` asks for them, and every output of the node.
bool could_stand_for(const Definition& other, const Definition& own, const Node& node) {
  const auto in = [](const std::vector<FieldInfo>& fields, const std::string& name) {
    return std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& field) { return field.name == name; });
  };
  for (const FieldInfo& field : other.inputs) {
    if (!node.inputs.contains(field.name)) {
      if (!field.optional) return false;
      continue;
    }
    const auto same = in(own.inputs, field.name);
    if (same == own.inputs.end() ||
        (same->axes != field.axes && !own.name.starts_with(other.name) && !other.name.starts_with(own.name) &&
         split_axes(same->axes).size() != split_axes(field.axes).size()))
      return false;
  }
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](const auto& output) {
    const auto same = in(other.outputs, output.first);
    const auto ours = in(own.outputs, output.first);
    return same != other.outputs.end() && same->judge == ours->judge;
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

/// Flags and counts that only the stand-in has say what it does; alone, then two at once.
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
      suspects.push_back(fault_of(node, {all.back()}));
    }
    if (all.size() > 1) suspects.push_back(fault_of(node, all));
  }
}

/// One operand of a node that is a single tensor.
struct Read {
  std::string field, axes;
  const Operand* operand;
  TapInfo info;
  bool integer = false;
};

std::vector<Read> reads_of(const Base& base, const Node& node) {
  std::vector<Read> reads;
  const Definition& definition = definition_of(node);
  for (const auto& [field, list] : node.inputs) {
    const Operand& operand = list.front();
    if (operand.kind == Operand::Kind::bank) continue;
    Read read{field, operand.axes, &operand, {}, false};
    if (operand.kind == Operand::Kind::tap) {
      read.info = base.plan.tap(operand.name);
      read.integer = is_integer(read.info.type);
      if (read.axes.empty()) read.axes = read.info.axes;
    } else {
      read.info = {"", base.plan.weights.at(operand.name).shape, TapType::wide};
      if (read.axes.empty()) read.axes = definition.inputs[static_cast<size_t>(definition.input_index(field))].axes;
    }
    reads.push_back(read);
  }
  return reads;
}

/// Narrower types than the operand's, tf32 and truncation included.
std::vector<TensorMap> narrower(DType held) {
  std::vector<TensorMap> maps;
  const int bits = format_of(held).significand_bits;
  for (const DType narrow : {DType::f16, DType::bf16, DType::e4m3fn, DType::e5m2}) {
    if (format_of(narrow).significand_bits >= bits && narrow != DType::f16) continue;
    if (narrow == held) continue;
    TensorMap map = map_of(Kind::round);
    map.dtype = narrow;
    maps.push_back(map);
    map.kind = Kind::truncate;
    maps.push_back(map);
  }
  constexpr int kTf32 = 11;
  if (bits > kTf32) {
    maps.push_back(map_of(Kind::significand));
    maps.back().number = "11";
  }
  return maps;
}

DType held_in(const Base& base, const Read& read) {
  if (read.operand->kind == Operand::Kind::tap) return base.plan.dtype_of(read.info.type);
  const Held held = base.plan.weights.at(read.operand->name).held;
  return held == Held::working ? base.plan.working : DType::f32;
}

void add_narrower(const Base& base, const Node& node, Suspects& suspects) {
  std::map<std::string, std::vector<Edit>> together;  // by what is done: every operand at once
  for (const Read& read : reads_of(base, node)) {
    if (read.integer || !is_float(held_in(base, read))) continue;
    for (const TensorMap& map : narrower(held_in(base, read))) {
      const Edit edit = MapInput{read.field, map};
      suspects.push_back(fault_of(node, {edit}));
      together[words_of({Edit(MapInput{"x", map})})].push_back(edit);
    }
  }
  for (const auto& [what, edits] : together) {
    if (edits.size() > 1) suspects.push_back(fault_of(node, edits));
    for (size_t i = 0; edits.size() > 2 && i < edits.size(); ++i) {
      for (size_t j = i + 1; j < edits.size(); ++j) suspects.push_back(fault_of(node, {edits[i], edits[j]}));
    }
  }
  for (const auto& [field, list] : node.inputs) {
    if (list.front().kind != Operand::Kind::bank) continue;
    for (const TensorMap& map : narrower(base.plan.working == DType::f64 ? DType::f64 : DType::f32)) {
      for (const std::string& published : base.plan.weights.at(list.front().name).published) {
        const std::string tail =
            "*" + published.substr(published.rfind("{}") == std::string::npos ? 0 : published.rfind("{}") + 2);
        suspects.push_back(fault_of(node, {MapWeight{tail, {}, {}, {}, map}}));
      }
    }
  }
}

/// Moves along every axis of an operand or result.
std::vector<TensorMap> moves(const std::string& axes, const Shape& shape) {
  std::vector<TensorMap> maps;
  const auto tokens = split_axes(axes);
  if (tokens.size() != shape.size()) return maps;
  for (size_t axis = 0; axis < tokens.size(); ++axis) {
    const int64_t extent = shape[axis];
    if (extent < 2) continue;
    const auto add = [&](Kind kind, int64_t by = 1) {
      maps.push_back(map_of(kind, tokens[axis]));
      maps.back().by = by;
    };
    for (const int64_t by : {1, -1}) add(Kind::roll, by);
    add(Kind::reverse);
    add(Kind::late);
    if (extent % 2 == 0 && extent > 2) {
      for (const Kind kind : {Kind::swap_halves, Kind::interleave, Kind::deinterleave}) add(kind);
    }
    for (int64_t by = 3; by < extent && by <= 16; ++by) {
      if (extent % by == 0) add(Kind::regroup, by);
    }
    for (size_t other = axis + 1; other < tokens.size(); ++other) {
      if (shape[other] > 1) add(Kind::as_transposed, static_cast<int64_t>(other));
    }
    add(Kind::copy, 0);
    add(Kind::copy, -1);
    if (extent <= 4096) add(Kind::centre);
  }
  return maps;
}

/// A part of an axis without its values: the first and last positions, everything from a power of two on, every k-th.
std::vector<TensorMap> losses(const std::string& axes, const Shape& shape, const std::string& number) {
  std::vector<TensorMap> maps{map_of(Kind::fill)};
  maps.back().number = number;
  const auto tokens = split_axes(axes);
  if (tokens.size() != shape.size()) return maps;
  constexpr int64_t kEach = 16;  // heads, groups, slots: each alone
  for (size_t axis = 0; axis < tokens.size(); ++axis) {
    const int64_t extent = shape[axis];
    if (extent < 2) continue;
    const auto add = [&](int64_t first, int64_t count, int64_t every = 1) {
      maps.push_back(map_of(Kind::fill, tokens[axis]));
      maps.back().number = number;
      maps.back().first = std::to_string(first);
      maps.back().count = count;
      maps.back().every = every;
    };
    add(-1, 1);
    for (int64_t first = 0; first < std::min(extent, kEach); ++first) add(first, 1);
    for (int64_t first = 1; first < extent; first *= 2) {
      add(first, TensorMap{}.count);
      add(0, first);
    }
    for (int64_t every = 2; every < extent && every <= 128; every *= 2) {
      add(0, TensorMap{}.count, every);
      add(every - 1, TensorMap{}.count, every);
    }
  }
  return maps;
}

/// How far a tap is from a node: its own layer and call first.
int64_t distance_of(const std::string& tap, const std::string& prefix) {
  size_t common = 0;
  while (common < std::min(tap.size(), prefix.size()) && tap[common] == prefix[common]) ++common;
  return -static_cast<int64_t>(common);
}

void add_other_taps(const Base& base, const Node& node, const Read& read, Suspects& suspects) {
  std::vector<std::string> others;
  for (const auto& [tap, info] : base.plan.taps) {
    const bool alike = info.shape == read.info.shape && is_integer(info.type) == read.integer;
    const bool own = std::any_of(node.outputs.begin(), node.outputs.end(),
                                 [&, &name = tap](const auto& output) { return output.second.name == name; });
    if (alike && !own && tap != read.operand->name && base.recording.available(tap)) others.push_back(tap);
  }
  std::stable_sort(others.begin(), others.end(), [&](const std::string& a, const std::string& b) {
    return distance_of(a, node.prefix) < distance_of(b, node.prefix);
  });
  constexpr size_t kMost = 48;  // the nearest: a layer's own taps, and the same of a few others
  const std::string layer = layer_prefix(node.prefix);
  for (size_t i = 0; i < std::min(others.size(), kMost); ++i) {
    const std::string& tap = others[i];
    const std::string text = tap.starts_with(layer) ? "{at}" + tap.substr(layer.size()) : tap;
    suspects.push_back(fault_of(node, {Rewire{read.field, text}}));
  }
}

/// "self_attn.k_norm." of "model.layers.3.self_attn.k_norm.weight" beside "….q_norm.weight": what is another in the name.
std::pair<std::string, std::string> renaming(const std::string& from, const std::string& to) {
  size_t head = 0;
  while (head < std::min(from.size(), to.size()) && from[head] == to[head]) ++head;
  while (head > 0 && from[head - 1] != '.') --head;
  size_t tail = 0;
  while (tail + head < std::min(from.size(), to.size()) && from[from.size() - 1 - tail] == to[to.size() - 1 - tail])
    ++tail;
  while (tail > 0 && from[from.size() - tail] != '.') --tail;
  const auto middle = [&](const std::string& name) { return name.substr(head, name.size() - tail - head) + "."; };
  return {middle(from), middle(to)};
}

void add_other_weights(const Base& base, const Node& node, const Read& read, Suspects& suspects) {
  const WeightInfo& own = base.plan.weights.at(read.operand->name);
  if (own.published.size() != 1) return;
  const std::string& name = own.published.front();
  std::vector<std::string> others;
  for (const auto& [weight, info] : base.plan.weights) {
    if (info.published.size() == 1 && info.shape == own.shape && info.members == 0 && weight != read.operand->name)
      others.push_back(info.published.front());
  }
  std::stable_sort(others.begin(), others.end(), [&](const std::string& a, const std::string& b) {
    return distance_of(a, name) < distance_of(b, name);
  });
  constexpr size_t kMost = 24;
  if (others.size() > kMost) others.resize(kMost);
  for (const std::string& other : others) {
    const auto [from, to] = renaming(name, other);
    suspects.push_back(fault_of(node, {MapWeight{"*" + from + "*", from, to, {}, {}}}));
  }
}

/// "experts." of "model.layers.3.experts.{}.w1": labels with a number after them.
std::vector<std::string> labels_of(const std::string& published) {
  std::vector<std::string> labels;
  const auto parts = [&] {
    std::vector<std::string> result{""};
    for (const char c : published) {
      if (c == '.') {
        result.emplace_back();
      } else {
        result.back() += c;
      }
    }
    return result;
  }();
  for (size_t i = 1; i < parts.size(); ++i) {
    const bool number =
        parts[i] == "{}" || (!parts[i].empty() && parts[i].find_first_not_of("0123456789") == std::string::npos);
    if (number) labels.push_back(parts[i - 1] + ".");
  }
  return labels;
}

void add_numbered_weights(const Base& base, const Node& node, Suspects& suspects) {
  for (const auto& [field, list] : node.inputs) {
    const Operand& operand = list.front();
    if (operand.kind == Operand::Kind::tap) continue;
    const auto& published = base.plan.weights.at(operand.name).published;
    for (const std::string& label : labels_of(published.front())) {
      suspects.push_back(fault_of(node, {MapWeight{"*", {}, {}, label, {}}}));
      for (const std::string& name : published) {
        const size_t at = name.rfind("{}");
        if (at != std::string::npos)
          suspects.push_back(fault_of(node, {MapWeight{"*" + name.substr(at + 2), {}, {}, label, {}}}));
      }
    }
    if (published.size() < 2 || published.front().rfind("{}") == std::string::npos) continue;
    std::vector<Edit> exchanged;  // gate and up, as they are stacked
    for (const auto& [a, b] : {std::pair{published[0], published[1]}, std::pair{published[1], published[0]}}) {
      const auto [from, to] = renaming(a, b);
      exchanged.emplace_back(MapWeight{"*." + from + "*", from, to, {}, {}});
    }
    suspects.push_back(fault_of(node, exchanged));
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

Suspects operands_of(const Base& base, const Node& node) {
  Suspects suspects;
  add_narrower(base, node, suspects);
  const auto reads = reads_of(base, node);
  for (size_t i = 0; i < reads.size(); ++i) {
    for (size_t j = i + 1; j < reads.size(); ++j) {
      if (reads[i].info.shape == reads[j].info.shape && reads[i].integer == reads[j].integer)
        suspects.push_back(fault_of(node, {SwapInputs{reads[i].field, reads[j].field}}));
    }
  }
  add_numbered_weights(base, node, suspects);
  for (const Read& read : reads) {
    if (read.operand->kind == Operand::Kind::tap) {
      add_other_taps(base, node, read, suspects);
    } else {
      add_other_weights(base, node, read, suspects);
    }
  }
  for (const Read& read : reads) {
    const Shape shape = shape_under(base.plan, node, read.axes, read.info);
    for (const TensorMap& map : moves(read.axes, shape))
      suspects.push_back(fault_of(node, {MapInput{read.field, map}}));
    for (const char* number : {"0", "1"}) {
      for (const TensorMap& map : losses(read.axes, shape, number))
        suspects.push_back(fault_of(node, {MapInput{read.field, map}}));
    }
    if (!read.integer) continue;
    TensorMap relative = map_of(Kind::relative, split_axes(read.axes).back());
    suspects.push_back(fault_of(node, {MapInput{read.field, relative}}));
  }
  return suspects;
}

Suspects results_of(const Base& base, const Node& node) {
  Suspects suspects;
  for (const auto& [field, output] : node.outputs) {
    const TapInfo& info = base.plan.tap(output.name);
    const std::string axes = output.axes.empty() ? info.axes : output.axes;
    const Shape shape = shape_under(base.plan, node, axes, info);
    if (!is_integer(info.type)) {
      for (const TensorMap& map : narrower(base.plan.dtype_of(info.type)))
        suspects.push_back(fault_of(node, {MapOutput{field, map}}));
    }
    for (const TensorMap& map : moves(axes, shape)) suspects.push_back(fault_of(node, {MapOutput{field, map}}));
    for (const TensorMap& map : losses(axes, shape, is_integer(info.type) ? "-1" : "0"))
      suspects.push_back(fault_of(node, {MapOutput{field, map}}));
    const auto tokens = split_axes(axes);
    if (is_integer(info.type) && !tokens.empty())
      suspects.push_back(fault_of(node, {MapOutput{field, map_of(Kind::ascending, tokens.back())}}));
  }
  return suspects;
}

}  // namespace parity::faults

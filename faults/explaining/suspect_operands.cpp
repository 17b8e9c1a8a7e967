// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Suspected operands and results: narrower types, other tensors, moved or lost positions.

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "faults/explaining/suspects_support.hpp"

namespace parity::faults {
namespace {

using namespace suspects;
using Kind = TensorMap::Kind;

/// Returns maps to narrower types than the operand's, including tf32 and truncation.
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
  std::map<std::string, std::vector<Edit>> together;  // by operation: edits of every operand at once
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

/// Returns moves along every axis of an operand or result.
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

/// Returns maps that lose part of an axis: the first or last positions, all from a power of two on, or every k-th.
std::vector<TensorMap> losses(const std::string& axes, const Shape& shape, const std::string& number) {
  std::vector<TensorMap> maps{map_of(Kind::fill)};
  maps.back().number = number;
  const auto tokens = split_axes(axes);
  if (tokens.size() != shape.size()) return maps;
  constexpr int64_t kEach = 16;  // each head, group or slot separately
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

/// Returns the distance of a tap from a node. The node's layer and call are nearest.
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
    if (alike && !own && tap != read.operand->name && base.sources.inputs.available(tap)) others.push_back(tap);
  }
  std::stable_sort(others.begin(), others.end(), [&](const std::string& a, const std::string& b) {
    return distance_of(a, node.prefix) < distance_of(b, node.prefix);
  });
  constexpr size_t kMost = 48;  // the nearest taps: the layer's own, and those of a few others
  const std::string layer = layer_prefix(node.prefix);
  for (size_t i = 0; i < std::min(others.size(), kMost); ++i) {
    const std::string& tap = others[i];
    const std::string text = tap.starts_with(layer) ? "{at}" + tap.substr(layer.size()) : tap;
    suspects.push_back(fault_of(node, {Rewire{read.field, text}}));
  }
}

/// Returns the differing parts of two names: "self_attn.k_norm." and "self_attn.q_norm." of two norms' weights.
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

/// Returns the labels before a number: "experts." in "model.layers.3.experts.{}.w1".
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
    std::vector<Edit> exchanged;  // gate and up exchanged, as they are stacked
    for (const auto& [a, b] : {std::pair{published[0], published[1]}, std::pair{published[1], published[0]}}) {
      const auto [from, to] = renaming(a, b);
      exchanged.emplace_back(MapWeight{"*." + from + "*", from, to, {}, {}});
    }
    suspects.push_back(fault_of(node, exchanged));
  }
}

}  // namespace

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

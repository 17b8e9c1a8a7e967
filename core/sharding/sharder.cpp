// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/sharder.hpp"

#include <algorithm>

namespace parity {

Plan Sharder::run() {
  plan_ = single_;
  plan_.nodes.clear();
  plan_.taps.clear();
  plan_.weights.clear();
  plan_.aliases.clear();
  plan_.histories.clear();
  add_inputs();
  for (const Node& node : single_.nodes) add(node);
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) add_names(rank);
  return std::move(plan_);
}

Shares Sharder::held(const std::string& tap) const {
  const auto found = shares_.find(tap);
  return found == shares_.end() ? Shares() : found->second;
}

std::string Sharder::local(const std::string& tap, int64_t rank) const {
  const auto info = single_.taps.find(tap);
  const bool shared = info != single_.taps.end() && info->second.producer < 0 && held(tap).empty();
  return shared ? tap : rank_prefix(rank) + tap;
}

Ranges Sharder::ranges(const Shares& shares, int64_t rank) const {
  Ranges result;
  for (const Share& share : shares) result[share.unit] = share.range(layout_, rank);
  return result;
}

std::vector<int64_t> Sharder::peers(int64_t rank, bool sequences) const {
  std::vector<int64_t> result;
  const int64_t group = layout_.group();
  for (int64_t i = 0; i < (sequences ? layout_.dp : group); ++i)
    result.push_back(sequences ? i * group + rank % group : rank / group * group + i);
  return result;
}

void Sharder::add_inputs() {
  for (const auto& [tap, info] : single_.taps) {
    if (info.producer >= 0) continue;
    plan_.taps[tap] = info;
    if (layout_.dp == 1 || find_unit(info.axes, "B") < 0) continue;
    shares_[tap] = {{"B", Share::By::sequences, info.shape.front()}};
    for (int64_t rank = 0; rank < layout_.ranks(); ++rank) add_tap(tap, tap, held(tap), {}, rank, -1);
  }
}

void Sharder::add_tap(const std::string& tap, const std::string& whole, const Shares& shares, const AxisSizes& call,
                      int64_t rank, int producer) {
  const TapInfo& info = single_.tap(whole);
  const Ranges own = ranges(shares, rank);
  const AxisSizes sizes = sizes_in(call, info.axes, info.shape);
  TapInfo part = info;
  part.producer = producer;
  part.part = Part{whole, info.axes, info.shape, box_of(info.axes, sizes, own)};
  part.axes = local_axes(info.axes, shares);
  part.shape = shape_of(part.axes, local_sizes(sizes, own));
  plan_.taps[rank_prefix(rank) + tap] = part;
}

void Sharder::add(const Node& node) {
  PARITY_CHECK(node.component != "dequantise", unsupported, "a quantised checkpoint cannot be divided among ranks");
  const NodeShares shares = divide(
      single_, node, components_.component(node.component), [&](const Operand& weight) { return rule_for(weight); },
      [&](const std::string& tap) { return held(tap); });
  const bool experts = layout_.ep > 1 && has_bank(node);
  Node whole = node;
  for (const Share& share : shares.mixed) gather_operands(whole, share);
  for (const Share& share : shares.divided()) cut_operands(whole, share);
  if (experts) localise_experts(whole, shares.parallel);
  const bool partial = experts || !shares.summed.empty();
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) add_part(whole, shares, rank, partial, experts);
  for (const auto& [field, output] : node.outputs) {
    if (partial && required(node, field))
      reduce(node, output.name, within(shares.parallel, single_.tap(output.name).axes));
    if (shares.gathered) regather(node, output.name, shares);
  }
}

const ShardRule* Sharder::rule_for(const Operand& weight) const {
  const bool whole_experts = layout_.ep > 1 && weight.kind == Operand::Kind::bank;
  return rules_ == nullptr || whole_experts ? nullptr : rule_of(*rules_, single_.weights.at(weight.name));
}

bool Sharder::required(const Node& node, const std::string& field) const {
  const Definition& definition = components_.component(node.component);
  return !definition.outputs[static_cast<size_t>(definition.output_index(field))].optional;
}

void Sharder::add_part(const Node& whole, const NodeShares& shares, int64_t rank, bool partial, bool experts) {
  const Shares divided = shares.divided();
  const Ranges own = ranges(divided, rank);
  const AxisSizes call = single_.sizes_of(whole);
  Node node = whole;
  node.prefix = rank_prefix(rank) + whole.prefix;
  node.rank = static_cast<int>(rank);
  node.sizes = local_sizes(whole.sizes, own);
  const int index = static_cast<int>(plan_.nodes.size());
  for (auto& [field, list] : node.inputs) {
    for (Operand& operand : list) localise(operand, divided, call, rank);
  }
  if (experts) take_experts(node, own_experts(whole, rank));
  if (partial && rank % layout_.group() != 0) node.inputs.erase("bias");  // added once
  for (auto& [field, output] : node.outputs) {
    const std::string tap = output.name;
    const bool summed = partial && required(whole, field);
    const std::string name = summed ? tap + "_partial" : shares.gathered ? tap + "_part" : tap;
    const Shares own_shares = within(divided, single_.tap(tap).axes);
    const bool term = partial && (experts || within(shares.summed, single_.tap(tap).axes).empty());
    add_tap(name, tap, own_shares, call, rank, index);
    plan_.taps.at(rank_prefix(rank) + name).part->partial = term;
    if (!summed) shares_[name] = own_shares;
    output = {Operand::Kind::tap, rank_prefix(rank) + name, local_axes(output.axes, divided)};
  }
  plan_.nodes.push_back(std::move(node));
}

void Sharder::localise(Operand& operand, const Shares& divided, const AxisSizes& call, int64_t rank) {
  const std::string axes = operand.axes;
  operand.axes = local_axes(axes, divided);
  if (operand.kind == Operand::Kind::tap) {
    operand.name = local(operand.name, rank);
    return;
  }
  const WeightInfo& whole = single_.weights.at(operand.name);
  const AxisSizes sizes = sizes_in(call, axes, whole.shape);
  const Ranges own = ranges(divided, rank);
  const Box box = box_of(axes, sizes, own);
  if (!box.whole()) operand.name = rank_prefix(rank) + operand.name;
  WeightInfo& info = plan_.weights[operand.name];
  info = whole;
  if (box.whole()) return;
  info.part = box;
  info.whole = whole.shape;
  info.shape = shape_of(operand.axes, local_sizes(sizes, own));
}

bool Sharder::alike(const std::string& cache, const std::vector<HistoryPart>& parts) const {
  const size_t divisions = held(cache).size();
  return std::all_of(parts.begin(), parts.end(),
                     [&](const HistoryPart& part) { return held(part.tap).size() == divisions; });
}

void Sharder::add_names(int64_t rank) {
  for (const auto& [alias, tap] : single_.aliases) plan_.aliases[rank_prefix(rank) + alias] = rank_prefix(rank) + tap;
  for (const auto& [cache, parts] : single_.histories) {
    if (!alike(cache, parts)) continue;
    auto& own = plan_.histories[rank_prefix(rank) + cache];
    own = parts;
    for (HistoryPart& part : own) part.tap = rank_prefix(rank) + part.tap;
  }
}

}  // namespace parity

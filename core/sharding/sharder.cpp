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

OwnRanges Sharder::ranges(const Shares& shares, int64_t rank) const {
  OwnRanges result;
  for (const Share& share : shares) result[share.unit] = share.ranges(layout_, rank);
  return result;
}

std::vector<int64_t> Sharder::peers(int64_t rank, Share::By by) const {
  const int64_t group = layout_.group();
  const int64_t count = by == Share::By::sequences ? layout_.dp : by == Share::By::tokens ? layout_.cp : group;
  const int64_t stride = by == Share::By::sequences ? group * layout_.cp : by == Share::By::tokens ? group : 1;
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i) result.push_back(rank + (i - rank / stride % count) * stride);
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
  const OwnRanges own = ranges(shares, rank);
  const AxisSizes sizes = sizes_in(call, info.axes, info.shape);
  TapInfo part = info;
  part.producer = producer;
  part.part = Part{whole, info.axes, info.shape, box_of(info.axes, sizes, own)};
  part.axes = local_axes(info.axes, shares);
  part.shape = shape_of(part.axes, local_sizes(sizes, own));
  plan_.taps[rank_prefix(rank) + tap] = part;
}

void Sharder::add(const Node& node) {
  if (node.component == "dequantise") return add_decoder(node);
  NodeShares shares = divide(
      single_, node, components_.component(node.component), [&](const Operand& weight) { return rule_for(weight); },
      [&](const std::string& tap) { return wanted(tap); });
  require_tokens(node, shares);
  const bool experts = layout_.ep > 1 && has_bank(node);
  Node whole = node;
  for (const auto& [field, divisions] : shares.whole) {
    for (const Share& share : divisions) gather_operands(whole, field, share);
  }
  for (const Share& share : shares.divided()) cut_operands(whole, shares, share);
  const bool dispatches = experts && layout_.dispatches();
  if (dispatches) dispatch_tokens(whole, shares);
  if (experts) localise_experts(whole, shares.parallel);
  const bool partial = experts || !shares.summed.empty();
  const Share* tokens = numbered_tokens(node, shares);
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (tokens != nullptr && tokens->ranges(layout_, rank).size() > 1) {
      add_runs(whole, shares, *tokens, rank);
    } else {
      add_part(whole, shares, rank, {partial, experts});
    }
  }
  for (const auto& [field, output] : node.outputs) {
    if (dispatches && required(node, field))
      return_rows(node, output);
    else if (partial && required(node, field))
      reduce(node, output.name, within(shares.parallel, single_.tap(output.name).axes));
    if (shares.gathered) regather(node, output.name, shares);
  }
}

void Sharder::add_decoder(const Node& node) {
  const int index = static_cast<int>(plan_.nodes.size());
  plan_.nodes.push_back(node);
  for (const auto& [field, output] : node.outputs) {
    plan_.taps[output.name] = single_.tap(output.name);
    plan_.taps[output.name].producer = index;
  }
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) plan_.weights[operand.name] = single_.weights.at(operand.name);
  }
}

const ShardRule* Sharder::rule_for(const Operand& weight) const {
  const bool whole_experts = layout_.ep > 1 && weight.kind == Operand::Kind::bank;
  return rules_ == nullptr || whole_experts
             ? nullptr
             : rule_of(*rules_, single_.weights.at(weight.name), release_of(single_.profile));
}

bool Sharder::required(const Node& node, const std::string& field) const {
  const Definition& definition = components_.component(node.component);
  return !definition.outputs[static_cast<size_t>(definition.output_index(field))].optional;
}

void Sharder::add_part(const Node& whole, const NodeShares& shares, int64_t rank, const PartOf& part) {
  const Shares divided = shares.divided();
  const OwnRanges own = ranges(divided, rank);
  const AxisSizes call = single_.sizes_of(whole);
  Node node = whole;
  node.prefix = rank_prefix(rank) + whole.prefix;
  node.rank = static_cast<int>(rank);
  node.sizes = local_sizes(whole.sizes, own);
  for (const auto& [unit, indices] : own) {
    if (unit != kTokens || numbered_tokens(whole, shares) != nullptr)
      node.params =
          sliced_params(components_.component(node.component), node.params, call, unit, indices.front().first);
  }
  const int index = static_cast<int>(plan_.nodes.size());
  for (auto& [field, list] : node.inputs) {
    for (Operand& operand : list) localise(operand, divided, call, rank);
  }
  if (part.experts) take_experts(node, own_experts(whole, rank));
  if (part.partial && rank % layout_.group() != 0) node.inputs.erase("bias");  // added once
  for (auto& [field, output] : node.outputs) {
    const std::string tap = output.name;
    const bool summed = part.partial && required(whole, field);
    const std::string run = part.run < 0 ? tap : run_name(tap, static_cast<size_t>(part.run));
    const std::string name = summed ? tap + "_partial" : shares.gathered ? tap + "_part" : run;
    const Shares own_shares = within(divided, single_.tap(tap).axes);
    const bool term = part.partial && (part.experts || within(shares.summed, single_.tap(tap).axes).empty());
    add_tap(name, tap, own_shares, call, rank, index);
    plan_.taps.at(rank_prefix(rank) + name).part->partial = term;
    if (!summed && part.run < 0) shares_[name] = own_shares;
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
  const OwnRanges own = ranges(divided, rank);
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
  for (const auto& [alias, tap] : single_.aliases) {
    if (single_.tap(tap).producer < 0) plan_.aliases[alias] = tap;  // an input is one for all ranks
    plan_.aliases[rank_prefix(rank) + alias] = rank_prefix(rank) + tap;
  }
  for (const auto& [cache, parts] : single_.histories) {
    if (!alike(cache, parts)) continue;
    auto& own = plan_.histories[rank_prefix(rank) + cache];
    own = parts;
    for (HistoryPart& part : own) part.tap = rank_prefix(rank) + part.tap;
  }
}

}  // namespace parity

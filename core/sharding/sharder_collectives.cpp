// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "core/sharding/sharder.hpp"

namespace parity {

void Sharder::gather_operands(Node& node, const Share& share) {
  for (auto& [field, list] : node.inputs) {
    for (Operand& operand : list) {
      const ShardRule* rule = operand.kind == Operand::Kind::tap ? nullptr : rule_for(operand);
      PARITY_CHECK(rule == nullptr || share_of(single_, node, operand, *rule).unit != share.unit, unsupported,
                   "{}: the weights of {} cannot be divided along {}", node.prefix, node.component, share.unit);
      if (operand.kind != Operand::Kind::tap || find_share(held(operand.name), share.unit) == nullptr) continue;
      const std::string whole = operand.name + "_gathered";
      if (!shares_.contains(whole)) gather(node, operand.name, whole, operand.name, share);
      operand.axes = axes_in(operand);
      operand.name = whole;
    }
  }
}

void Sharder::cut_operands(Node& node, const Share& share) {
  for (auto& [field, list] : node.inputs) {
    for (Operand& operand : list) {
      if (operand.kind != Operand::Kind::tap || find_share(held(operand.name), share.unit) != nullptr) continue;
      if (find_unit(axes_in(operand), share.unit) < 0) continue;
      const std::string part = fmt::format("{}_share_{}", operand.name, share.unit);
      if (!shares_.contains(part)) cut(node, operand.name, part, share);
      operand.axes = axes_in(operand);
      operand.name = part;
    }
  }
}

std::string Sharder::axes_in(const Operand& operand) const {
  return operand.axes.empty() ? single_.tap(origin(operand.name)).axes : operand.axes;
}

std::string Sharder::origin(const std::string& tap) const {
  const auto found = origins_.find(tap);
  return found == origins_.end() ? tap : found->second;
}

Node Sharder::collective(const Node& of, const std::string& component, const std::string& tap, int64_t rank) const {
  Node node;
  node.component = component;
  node.prefix = rank_prefix(rank) + tap;
  node.step = of.step;
  node.layer = of.layer;
  node.sizes = of.sizes;
  node.rank = static_cast<int>(rank);
  return node;
}

void Sharder::reduce(const Node& of, const std::string& tap, const Shares& shares) {
  const bool single = single_.tap(tap).type == TapType::single;
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
    Node node = collective(of, "all_reduce", tap, rank);
    node.sizes = local_sizes(of.sizes, ranges(shares, rank));
    if (single) node.rounding["all_reduce.sum"] = Precision::single;
    for (const int64_t peer : peers(rank, false))
      node.inputs["parts"].push_back({Operand::Kind::tap, rank_prefix(peer) + tap + "_partial", ""});
    node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + tap, ""};
    add_tap(tap, tap, shares, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
    plan_.nodes.push_back(std::move(node));
  }
  shares_[tap] = shares;
}

void Sharder::gather(const Node& of, const std::string& part, const std::string& whole, const std::string& tap,
                     const Share& share) {
  Shares rest = held(part);
  std::erase_if(rest, [&](const Share& other) { return other.unit == share.unit; });
  const std::string base = origin(tap);
  const std::string axes = gather_axes(single_.tap(base).axes, share.unit, is_ids(base));
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
    Node node = collective(of, gather_component(base), whole, rank);
    node.sizes = local_sizes(of.sizes, ranges(rest, rank));
    for (const int64_t peer : peers(rank, share.by == Share::By::sequences))
      node.inputs["parts"].push_back({Operand::Kind::tap, rank_prefix(peer) + part, local_axes(axes, {share})});
    node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + whole, axes};
    add_tap(whole, base, rest, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
    plan_.nodes.push_back(std::move(node));
  }
  shares_[whole] = rest;
  if (whole != base) origins_[whole] = base;
}

void Sharder::regather(const Node& of, const std::string& tap, const NodeShares& shares) {
  for (const Share& share : shares.parallel) {
    if (share.by != Share::By::sequences) gather(of, tap + "_part", tap, tap, share);
  }
}

void Sharder::cut(const Node& of, const std::string& tap, const std::string& part, const Share& share) {
  const std::string base = origin(tap);
  const std::string axes = gather_axes(single_.tap(base).axes, share.unit, is_ids(base));
  Shares shares = held(tap);
  shares.push_back(share);
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
    Node node = collective(of, gather_component(base), part, rank);
    const Ranges own = ranges(shares, rank);
    node.sizes = local_sizes(of.sizes, own);
    node.params["first_slot"] = own.at(share.unit).first;
    node.inputs["parts"] = {{Operand::Kind::tap, local(tap, rank), axes}};
    node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + part, local_axes(axes, {share})};
    add_tap(part, base, shares, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
    plan_.nodes.push_back(std::move(node));
  }
  shares_[part] = shares;
  origins_[part] = base;
}

std::string Sharder::gather_component(const std::string& tap) const { return is_ids(tap) ? "gather_ids" : "gather"; }

}  // namespace parity

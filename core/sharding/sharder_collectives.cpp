// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "core/sharding/sharder.hpp"

namespace parity {

void Sharder::gather_operands(Node& node, const std::string& field, const Share& share) {
  for (Operand& operand : node.inputs.at(field)) {
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

void Sharder::cut_operands(Node& node, const NodeShares& shares, const Share& share) {
  for (auto& [field, list] : node.inputs) {
    const auto whole = shares.whole.find(field);
    if (whole != shares.whole.end() && find_share(whole->second, share.unit) != nullptr) continue;
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
    for (const int64_t peer : peers(rank, Share::By::chunks))
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
  std::vector<std::map<int64_t, std::string>> runs;  // by rank, then first index
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) runs.push_back(runs_of(of, part, share, rank));
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
    Node node = collective(of, gather_component(base), whole, rank);
    node.sizes = local_sizes(of.sizes, ranges(rest, rank));
    std::map<int64_t, std::string> ordered;
    for (const int64_t peer : peers(rank, share.by)) {
      const auto& own = runs[static_cast<size_t>(peer)];
      ordered.insert(own.begin(), own.end());
    }
    for (const auto& [first, name] : ordered)
      node.inputs["parts"].push_back({Operand::Kind::tap, name, local_axes(axes, {share})});
    node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + whole, axes};
    add_tap(whole, base, rest, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
    plan_.nodes.push_back(std::move(node));
  }
  shares_[whole] = rest;
  if (whole != base) origins_[whole] = base;
}

void Sharder::regather(const Node& of, const std::string& tap, const NodeShares& shares) {
  for (const Share& share : shares.parallel) {
    if (share.by == Share::By::chunks || share.by == Share::By::heads) gather(of, tap + "_part", tap, tap, share);
  }
}

void Sharder::cut(const Node& of, const std::string& tap, const std::string& part, const Share& share) {
  Shares shares = held(tap);
  shares.push_back(share);
  origins_[part] = origin(tap);
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
    const Ranges own = share.ranges(layout_, rank);
    for (size_t run = 0; own.size() > 1 && run < own.size(); ++run)
      cut_rows(of, tap, run_name(part, run), one_run(shares, share, run), rank, own[run].first);
    if (own.size() > 1) {
      join_runs(of, part, shares, share, rank);
    } else {
      cut_rows(of, tap, part, shares, rank, own.front().first);
    }
  }
  shares_[part] = shares;
}

void Sharder::cut_rows(const Node& of, const std::string& tap, const std::string& rows, const Shares& shares,
                       int64_t rank, int64_t first) {
  const std::string base = origin(tap);
  const Share& share = shares.back();
  const std::string axes = gather_axes(single_.tap(base).axes, share.unit, is_ids(base));
  Node node = collective(of, gather_component(base), rows, rank);
  node.sizes = local_sizes(of.sizes, ranges(shares, rank));
  node.params["first_slot"] = first;
  node.inputs["parts"] = {{Operand::Kind::tap, local(tap, rank), axes}};
  node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + rows, local_axes(axes, {share})};
  add_tap(rows, base, shares, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
  plan_.nodes.push_back(std::move(node));
}

std::string Sharder::gather_component(const std::string& tap) const { return is_ids(tap) ? "gather_ids" : "gather"; }

}  // namespace parity

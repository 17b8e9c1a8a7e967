// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "core/sharding/sharder.hpp"

namespace parity {

bool Sharder::has_bank(const Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [](const auto& field) { return field.second.front().kind == Operand::Kind::bank; });
}

void Sharder::localise_experts(Node& node, const Shares& shares) {
  Operand& indices = node.inputs.at("indices").front();
  const std::string local = indices.name + "_local", base = indices.name;
  for (int64_t rank = 0; rank < layout_.ranks() && !shares_.contains(local); ++rank) {
    const Range own = own_experts(node, rank);
    Node ids = collective(node, "local_experts", local, rank);
    ids.sizes = local_sizes(node.sizes, ranges(shares, rank));
    ids.params = {{"first", own.first}, {"count", own.count}};
    ids.inputs["indices"] = {{Operand::Kind::tap, rank_prefix(rank) + base, indices.axes}};
    ids.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + local, ""};
    add_tap(local, origin(base), shares, single_.sizes_of(node), rank, static_cast<int>(plan_.nodes.size()));
    TapInfo& info = plan_.taps.at(rank_prefix(rank) + local);
    info.part.reset();
    info.type = TapType::count;
    plan_.nodes.push_back(std::move(ids));
  }
  shares_[local] = shares;
  origins_[local] = origin(base);
  indices.name = local;
}

Range Sharder::own_experts(const Node& node, int64_t rank) const {
  int64_t count = 0;
  for (const auto& [field, list] : node.inputs) {
    if (list.front().kind == Operand::Kind::bank) count = single_.weights.at(list.front().name).members;
  }
  PARITY_CHECK(count % layout_.ep == 0, unsupported, "{} experts cannot be divided evenly among {} ranks", count,
               layout_.ep);
  return {count / layout_.ep * (rank % layout_.ep), count / layout_.ep};
}

void Sharder::take_experts(Node& node, const Range& own) {
  for (auto& [field, list] : node.inputs) {
    Operand& operand = list.front();
    if (operand.kind != Operand::Kind::bank) continue;
    WeightInfo info = plan_.weights.at(operand.name);
    plan_.weights.erase(operand.name);
    if (!operand.name.starts_with("ranks/")) operand.name = rank_prefix(node.rank) + operand.name;
    info.first_member = own.first;
    info.members = own.count;
    plan_.weights[operand.name] = info;
  }
}

}  // namespace parity

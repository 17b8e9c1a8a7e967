// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/sharding/layout.hpp"

namespace parity::ranks {
namespace {

constexpr const char* kSum = "all_reduce";
using Sent = std::set<std::pair<std::string, int>>;  // taps, and the ranks that got them

int64_t element_of(const Plan& plan, const TapInfo& info) {
  return is_integer(info.type) ? size_of(DType::i64) : size_of(plan.dtype_of(info.type));
}

int rank_of(const Plan& plan, const std::string& tap, const Node& reader) {
  const int producer = plan.tap(tap).producer;
  return producer < 0 ? reader.rank : plan.nodes[static_cast<size_t>(producer)].rank;
}

/// Adds what the node's own rank sends in a sum: every member has a node for it.
void add_sum(const Plan& plan, const Node& node, LinkCounts& all) {
  const auto& parts = node.inputs.at("parts");
  const auto order = node.params.find("order");
  for (size_t member = 0; member < parts.size(); ++member) {
    if (rank_of(plan, parts[member].name, node) != node.rank) continue;
    const TapInfo& info = plan.tap(parts[member].name);
    all[{node.layer, node.component, node.rank}] +=
        all_reduce_traffic(static_cast<int64_t>(member), static_cast<int64_t>(parts.size()), element_count(info.shape),
                           element_of(plan, info),
                           order == node.params.end() ? SumOrder::by_rank : SumOrder{std::get<int64_t>(order->second)});
  }
}

/// Adds the rows that other ranks send to the node's.
void add_rows(const Plan& plan, const Node& node, const SentRowsOf& sent, const RowCount& rows, LinkCounts& all) {
  const auto& parts = node.inputs.at("parts");
  for (size_t part = 0; part < parts.size(); ++part) {
    const int from = rank_of(plan, parts[part].name, node);
    if (from == node.rank) continue;
    const double count = rows && sent.by_ids(node) ? rows(node, part) : sent.expected(node, part);
    if (count > 0) all[{node.layer, node.component, from}] += {1, std::llround(count * sent.row_bytes(node, part))};
  }
}

/// Adds what other ranks send to the node's: each operand of theirs, once for all nodes of this rank that read it.
void add_operands(const Plan& plan, const Node& node, Sent& sent, LinkCounts& all) {
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (operand.kind != Operand::Kind::tap) continue;
      const int from = rank_of(plan, operand.name, node);
      if (from == node.rank || !sent.emplace(operand.name, node.rank).second) continue;
      const TapInfo& info = plan.tap(operand.name);
      all[{node.layer, node.component, from}] += {1, element_count(info.shape) * element_of(plan, info)};
    }
  }
}

}  // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  messages += other.messages;
  bytes += other.bytes;
  return *this;
}

Traffic all_reduce_traffic(int64_t member, int64_t ranks, int64_t count, int64_t element, SumOrder order) {
  if (order == SumOrder::by_rank) return all_gather_traffic(ranks, count * element);
  if (order != SumOrder::tree) {  // the sums of all chunks but the own one; then all but the next member's
    const SumRoute route = route_of(order, count, ranks, element);
    const auto chunk = [&](int64_t c) { return std::clamp<int64_t>(count - c * route.chunk, 0, route.chunk); };
    const int64_t kept = chunk(member) + chunk((member + route.step) % ranks);
    return {2 * (ranks - 1), element * (2 * count - kept)};
  }
  Traffic sent;
  int64_t span = 1;
  for (; span < ranks && member % (2 * span) == 0; span *= 2) {
    if (member + span < ranks) sent += {1, count * element};
  }
  if (member > 0) sent += {1, count * element};
  return sent;
}

Traffic all_gather_traffic(int64_t ranks, int64_t part_bytes) { return {ranks - 1, (ranks - 1) * part_bytes}; }

LinkCounts traffic_of(const Plan& plan, const SentRowsOf& sent_rows, const RowCount& rows, int step) {
  LinkCounts all;
  Sent sent;
  for (const Node& node : plan.nodes) {
    if (step >= 0 && node.step != step) continue;
    if (node.component == kSum) {
      add_sum(plan, node, all);
    } else if (sent_rows.some(node)) {
      add_rows(plan, node, sent_rows, rows, all);
    } else {
      add_operands(plan, node, sent, all);
    }
  }
  return all;
}

}  // namespace parity::ranks

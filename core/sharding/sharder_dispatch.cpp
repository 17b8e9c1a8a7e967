// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Experts that all data-parallel groups divide: tokens go to their ranks, and the terms come back.
#include "core/sharding/sharder.hpp"

namespace parity {
namespace {

const Unit kSequences = "B";

std::string gathered(const std::string& tap) { return tap + "_gathered"; }

}  // namespace

void Sharder::dispatch_tokens(Node& node, NodeShares& shares) {
  const Share* found = find_share(shares.parallel, kSequences);
  PARITY_CHECK(found != nullptr, unsupported,
               "{}: --dispatch needs tokens that --dp divides, but the tokens of {} are not divided", layout_.text(),
               node.prefix);
  const Share sequences = *found;
  std::erase_if(shares.parallel, [&](const Share& share) { return share.unit == kSequences; });
  gather_operands(node, "indices", sequences);
  const Operand ids = node.inputs.at("indices").front();
  for (auto& [field, list] : node.inputs) {
    if (list.front().kind != Operand::Kind::tap || field == "indices") continue;
    if (layout_.dispatch == kAllGather || is_ids(origin(list.front().name))) {
      gather_operands(node, field, sequences);
    } else {
      dispatch_rows(node, list.front(), ids, sequences);
    }
  }
}

void Sharder::dispatch_rows(const Node& of, Operand& operand, const Operand& ids, const Share& sequences) {
  const std::string tap = operand.name, base = origin(tap), whole = tap + "_dispatched";
  Shares rest = held(tap);
  std::erase_if(rest, [&](const Share& share) { return share.unit == sequences.unit; });
  operand.axes = axes_in(operand);
  operand.name = whole;
  for (int64_t rank = 0; rank < layout_.ranks() && !shares_.contains(whole); ++rank) {
    const Range own = own_experts(of, rank);
    Node node = collective(of, "dispatch", whole, rank);
    node.params = {{"first", own.first}, {"count", own.count}};
    for (const int64_t peer : peers(rank, sequences.by))
      node.inputs["parts"].push_back({Operand::Kind::tap, rank_prefix(peer) + tap, operand.axes});
    node.inputs["indices"] = {{Operand::Kind::tap, rank_prefix(rank) + ids.name, ids.axes}};
    node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + whole, operand.axes};
    add_tap(whole, base, rest, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
    plan_.taps.at(rank_prefix(rank) + whole).part.reset();  // no recording has rows that are 0
    plan_.nodes.push_back(std::move(node));
  }
  shares_[whole] = rest;
  origins_[whole] = base;
}

void Sharder::return_rows(const Node& of, const Operand& output) {
  const std::string& tap = output.name;
  const TapInfo& info = single_.tap(tap);
  const bool sends_some = layout_.dispatch == kAllToAll;
  const std::string component = sends_some ? "combine" : "reduce_scatter";
  const std::string axes = axes_in(output);
  const Operand& ids = of.inputs.at("indices").front();
  const int64_t sequences = single_.sizes_of(of).at('B'), rows = element_count(info.shape) / info.shape.back();
  const Shares shares{{kSequences, Share::By::sequences, sequences}};
  for (int64_t rank = 0; rank < layout_.ranks(); ++rank) {
    Node node = collective(of, component, tap, rank);
    node.sizes = local_sizes(of.sizes, ranges(shares, rank));
    node.params["first_row"] = rows / sequences * shares.front().ranges(layout_, rank).front().first;
    if (sends_some) node.params["count"] = own_experts(of, rank).count;
    if (info.type == TapType::single) node.rounding[component + (sends_some ? ".out" : ".sum")] = Precision::single;
    for (int64_t other = 0; other < layout_.ranks(); ++other)
      node.inputs["parts"].push_back({Operand::Kind::tap, rank_prefix(other) + tap + "_partial", axes});
    if (sends_some)
      node.inputs["indices"] = {{Operand::Kind::tap, rank_prefix(rank) + gathered(ids.name), axes_in(ids)}};
    node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + tap, axes};
    add_tap(tap, tap, shares, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
    plan_.nodes.push_back(std::move(node));
  }
  shares_[tap] = shares;
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Context parallelism: the tokens of a sequence are divided from the input of the first layer on.
#include <algorithm>

#include "core/sharding/sharder.hpp"

namespace parity {
namespace {

constexpr const char* kEntry = "text/layers/00/in";

}  // namespace

Shares Sharder::wanted(const std::string& tap) const {
  Shares shares = held(tap);
  if (layout_.cp == 1) return shares;
  const auto entry = std::find_if(single_.aliases.begin(), single_.aliases.end(), [&](const auto& alias) {
    return alias.second == tap && alias.first.ends_with(kEntry);
  });
  if (entry == single_.aliases.end()) return shares;
  const int64_t tokens = single_.tap(tap).shape.at(1);
  if (tokens >= 2 * layout_.cp) shares.push_back({kTokens, Share::By::tokens, tokens});
  return shares;
}

void Sharder::require_tokens(const Node& node, const NodeShares& shares) const {
  if (node.layer < 0 || node.inputs.contains("fresh") || find_share(shares.parallel, kTokens) != nullptr) return;
  const bool writes_tokens = std::any_of(node.outputs.begin(), node.outputs.end(), [&](const auto& output) {
    return find_unit(single_.tap(output.second.name).axes, kTokens) >= 0;
  });
  for (const auto& [field, divisions] : shares.whole) {
    const Share* tokens = find_share(divisions, kTokens);
    PARITY_CHECK(!writes_tokens || tokens == nullptr || tokens->by != Share::By::tokens, unsupported,
                 "--cp {} is not supported: {} ({}) needs all tokens of a sequence on one rank", layout_.cp,
                 node.component, node.prefix);
  }
}

const Share* Sharder::numbered_tokens(const Node& node, const NodeShares& shares) const {
  const Share* tokens = find_share(shares.parallel, kTokens);
  const bool context = tokens != nullptr && tokens->by == Share::By::tokens;
  return context && numbers_queries(components_.component(node.component), node) ? tokens : nullptr;
}

void Sharder::add_runs(const Node& whole, const NodeShares& shares, const Share& tokens, int64_t rank) {
  const size_t count = tokens.ranges(layout_, rank).size();
  for (size_t run = 0; run < count; ++run) {
    Node node = whole;
    for (auto& [field, list] : node.inputs) {
      for (Operand& operand : list) {
        if (operand.kind != Operand::Kind::tap || find_share(held(operand.name), kTokens) == nullptr) continue;
        operand.axes = axes_in(operand);
        static_cast<void>(runs_of(whole, operand.name, tokens, rank));
        operand.name = run_name(operand.name, run);
      }
    }
    NodeShares own = shares;
    own.parallel = one_run(own.parallel, tokens, run);
    add_part(node, own, rank, {.run = static_cast<int>(run)});
  }
  for (const auto& [field, output] : whole.outputs) {
    shares_[output.name] = within(shares.divided(), single_.tap(output.name).axes);
    join_runs(whole, output.name, held(output.name), tokens, rank);
  }
}

std::map<int64_t, std::string> Sharder::runs_of(const Node& of, const std::string& tap, const Share& share,
                                                int64_t rank) {
  const Ranges own = share.ranges(layout_, rank);
  if (own.size() == 1) return {{own.front().first, rank_prefix(rank) + tap}};
  std::map<int64_t, std::string> runs;
  int64_t first = 0;
  for (size_t run = 0; run < own.size(); ++run) {
    const std::string rows = run_name(tap, run);
    if (!plan_.taps.contains(rank_prefix(rank) + rows))
      cut_rows(of, tap, rows, one_run(held(tap), share, run), rank, first);
    runs[own[run].first] = rank_prefix(rank) + rows;
    first += own[run].count;
  }
  return runs;
}

void Sharder::join_runs(const Node& of, const std::string& tap, const Shares& shares, const Share& tokens,
                        int64_t rank) {
  const std::string base = origin(tap);
  const std::string axes = local_axes(gather_axes(single_.tap(base).axes, tokens.unit, is_ids(base)), {tokens});
  Node node = collective(of, gather_component(base), tap, rank);
  node.sizes = local_sizes(of.sizes, ranges(shares, rank));
  for (size_t run = 0; run < tokens.ranges(layout_, rank).size(); ++run)
    node.inputs["parts"].push_back({Operand::Kind::tap, rank_prefix(rank) + run_name(tap, run), axes});
  node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + tap, axes};
  add_tap(tap, base, shares, single_.sizes_of(of), rank, static_cast<int>(plan_.nodes.size()));
  plan_.nodes.push_back(std::move(node));
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How one node of a plan is divided among ranks, given how its operands are.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/sharding/box.hpp"
#include "core/sharding/rules.hpp"

namespace parity {

inline const Unit kTokens = "S";  // divided by context parallelism

/// One division of a tap or weight: every rank holds some of the indices along `unit`.
struct Share {
  enum class By : uint8_t { chunks, heads, tokens, sequences };
  Unit unit;
  By by = By::chunks;
  int64_t extent = 0;  // of the unit in the whole tensor
  int run = -1;        // only this one of the rank's ranges; -1: all

  [[nodiscard]] Ranges ranges(const Layout& layout, int64_t rank) const;
};
using Shares = std::vector<Share>;
[[nodiscard]] const Share* find_share(const Shares& shares, const Unit& unit);
/// The same shares, of which `share` is the last and only its range `run`; and the name of a tap that holds it.
[[nodiscard]] Shares one_run(Shares shares, const Share& share, size_t run);
[[nodiscard]] std::string run_name(const std::string& tap, size_t run);

/// What a node does with its divided operands.
struct NodeShares {
  Shares parallel;                      // its outputs are divided alike
  Shares summed;                        // its outputs are partial sums
  std::map<std::string, Shares> whole;  // by field: divisions of operands of which it needs the whole
  bool gathered = false;                // the rule of its weight: outputs are gathered at once

  [[nodiscard]] Shares divided() const;  // parallel and summed
};

/// The axes under which a node reads or writes an operand.
[[nodiscard]] std::string axes_of(const Plan& plan, const Operand& operand);
/// The share of a parameter that a rule gives it, under the axes of the operand.
[[nodiscard]] Share share_of(const Plan& plan, const Node& node, const Operand& weight, const ShardRule& rule);

/// Whether the queries of a node have the slots from its parameter `query_slot` on: positions may give them instead.
[[nodiscard]] bool numbers_queries(const Definition& definition, const Node& node);
/// The parameters of a slice of a call along a unit that begins with its index `first`: slots of queries (S) and words
/// of a table (V) keep their numbers. `call` has the extents of the whole call.
[[nodiscard]] ParamMap sliced_params(const Definition& definition, ParamMap params, const AxisSizes& call,
                                     const Unit& unit, int64_t first);

/// The rule that divides a parameter of a node; nullptr if every rank has all of it.
using RuleOf = std::function<const ShardRule*(const Operand& weight)>;

/// `held` returns how a tap is divided.
[[nodiscard]] NodeShares divide(const Plan& plan, const Node& node, const Definition& definition,
                                const RuleOf& rule_for, const std::function<Shares(const std::string& tap)>& held);

}  // namespace parity

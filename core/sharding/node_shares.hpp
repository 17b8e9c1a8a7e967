// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How one node of a plan is divided among ranks, given how its operands are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/sharding/box.hpp"
#include "core/sharding/rules.hpp"

namespace parity {

/// One division of a tap or weight: every rank holds a range of the indices along `unit`.
struct Share {
  enum class By : uint8_t { chunks, heads, sequences };
  Unit unit;
  By by = By::chunks;
  int64_t extent = 0;  // of the unit in the whole tensor

  [[nodiscard]] Range range(const Layout& layout, int64_t rank) const;
};
using Shares = std::vector<Share>;
[[nodiscard]] const Share* find_share(const Shares& shares, const Unit& unit);

/// What a node does with its divided operands.
struct NodeShares {
  Shares parallel;        // its outputs are divided alike
  Shares summed;          // its outputs are partial sums
  Shares mixed;           // it needs the whole operands
  bool gathered = false;  // the rule of its weight: outputs are gathered at once

  [[nodiscard]] Shares divided() const;  // parallel and summed
};

/// The axes under which a node reads or writes an operand.
[[nodiscard]] std::string axes_of(const Plan& plan, const Operand& operand);
/// The share of a parameter that a rule gives it, under the axes of the operand.
[[nodiscard]] Share share_of(const Plan& plan, const Node& node, const Operand& weight, const ShardRule& rule);

/// The rule that divides a parameter of a node; nullptr if every rank has all of it.
using RuleOf = std::function<const ShardRule*(const Operand& weight)>;

/// `held` returns how a tap is divided.
[[nodiscard]] NodeShares divide(const Plan& plan, const Node& node, const Definition& definition,
                                const RuleOf& rule_for, const std::function<Shares(const std::string& tap)>& held);

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which weights a package divides among tensor-parallel ranks, and how.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/plans/release.hpp"
#include "core/sharding/layout.hpp"

namespace parity {

/// How a weight is divided.
enum class Cut : uint8_t {
  rows,     // its first axis in chunks: a rank has some of the outputs
  columns,  // its second axis in chunks: a rank has some of the inputs, and a partial sum of every output
  halves,   // both halves of "2F" alike: a rank has matching rows of gate and up
  heads,    // whole heads of its first axis; key heads are repeated if there are fewer than ranks
  inputs,   // whole heads of its second axis
};

struct ShardRule {
  std::string weight;  // glob over published names
  Cut cut = Cut::rows;
  bool gathered = false;  // the outputs of all ranks are gathered at once
  Release since{};        // of the package; earlier ones leave the weight whole
};

/// The rules of one package for one model.
struct ShardRules {
  std::string package;  // "hf", "vllm"
  std::string system;   // "minimax_m3_vl"
  std::string source;   // code that was read, or that none was
  std::vector<ShardRule> weights;
};

/// The rules of `package` for `system`. Throws Error{unsupported}, which lists the packages that can divide the model.
[[nodiscard]] const ShardRules& find_rules(const std::string& system, const std::string& package);
[[nodiscard]] const std::vector<ShardRules>& shard_rules();

/// The rule for a parameter of a plan, or nullptr if every rank of this release holds all of it.
[[nodiscard]] const ShardRule* rule_of(const ShardRules& rules, const WeightInfo& weight, const Release& release);

}  // namespace parity

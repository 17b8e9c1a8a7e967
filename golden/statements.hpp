// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a capture states of how it computes, by component: where it rounds, how accurate its elementary functions are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/activation_file.hpp"

namespace parity::golden {

struct Statements {
  /// What components of the glob do; where several meet one, the last counts.
  struct Rounding {
    std::string glob;
    bool own = false;  // in places of its own; else where the oracle rounds
  };
  struct Functions {
    std::string glob;
    double ulps = 0.0;  // of binary32, at most
  };
  std::vector<Rounding> rounding;
  std::vector<Functions> functions;

  /// Nothing where nothing is stated.
  [[nodiscard]] std::optional<bool> rounds_its_own_way(const std::string& component) const;
  [[nodiscard]] bool any_own() const;
  [[nodiscard]] std::optional<double> function_ulps(const std::string& component) const;
  /// A line for each kind of statement, as its attribute has it.
  [[nodiscard]] std::vector<std::string> text() const;
};

/// Root attributes `rounding` ("oracle", "moe_*=own attention_*=own") and `function_ulps` ("4", "swiglu=64"). Error{schema}
/// for a value that is none of those, and for an attribute whose name is nearly one of these.
[[nodiscard]] Statements statements_of(const Attributes& root);

}  // namespace parity::golden

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Statements of a capture about its computation, by component: where it rounds, how accurate its functions are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/files/activation_file.hpp"

namespace parity::golden {

struct Statements {
  /// Where components that match the glob round. If several globs match a component, the last one applies.
  struct Rounding {
    std::string glob;
    bool own = false;  // at points of its own; otherwise where the oracle rounds
  };
  struct Functions {
    std::string glob;
    double ulps = 0.0;  // largest error, in ulps of binary32
  };
  std::vector<Rounding> rounding;
  std::vector<Functions> functions;

  /// Whether `component` rounds at points of its own; nothing if there is no statement about it.
  [[nodiscard]] std::optional<bool> rounds_its_own_way(const std::string& component) const;
  [[nodiscard]] bool any_own() const;
  [[nodiscard]] std::optional<double> function_ulps(const std::string& component) const;
  /// One line for each kind of statement, in the syntax of its attribute.
  [[nodiscard]] std::vector<std::string> text() const;
};

/// Reads the root attributes `rounding` ("oracle", "moe_*=own attention_*=own") and `function_ulps` ("4", "swiglu=64").
/// Throws Error{schema} for any other value, and for an attribute with a similar name.
[[nodiscard]] Statements statements_of(const Attributes& root);

}  // namespace parity::golden

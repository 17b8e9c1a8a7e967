// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What may be wrong with a node when no known bug fits: every number, operand, function and rounding of it is an unknown.
// Derived from the component's declaration, the plan and the registry; nothing here knows a component by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "faults/edits/fault.hpp"
#include "faults/explaining/reading.hpp"

namespace parity::faults {

/// An edit of the node's, as a fault of its component everywhere; likelier ones first.
using Suspects = std::vector<Fault>;

/// A number of the node with the values that are tried, and how the fault with a value of it is made.
struct Unknown {
  std::string name;
  bool integer = false;
  std::vector<double> values;
  std::function<Fault(double)> fault;
};

/// Numbers of the node: its parameters, those of functions that could stand in its place, and what its operands and results
/// could have been multiplied with.
[[nodiscard]] std::vector<Unknown> unknowns_of(const Base& base, const Node& node);

/// The edit as a fault of the node's component; a rounded constant is named with its value.
[[nodiscard]] Fault suspect_of(const Base& base, const Node& node, const Edit& edit);

/// Parameters that are flags, other functions of the same signature, other roundings.
[[nodiscard]] Suspects functions_of(const Base& base, const Node& node);
/// Operands held in narrower types, exchanged, of other taps or weights of the same shape, nearest first, or moved along an
/// axis.
[[nodiscard]] Suspects operands_of(const Base& base, const Node& node);
/// Results that were moved along an axis or not written.
[[nodiscard]] Suspects results_of(const Base& base, const Node& node);

}  // namespace parity::faults

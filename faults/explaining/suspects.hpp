// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Edits that may explain a wrong node when no known bug fits: of its numbers, operands, function and roundings. They
// are derived from the component's declaration, the plan and the registry, not from component names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "faults/edits/fault.hpp"
#include "faults/explaining/reading.hpp"

namespace parity::faults {

/// Edits of the node, each as a fault of its component at all nodes, likelier ones first.
using Suspects = std::vector<Fault>;

/// A number of the node, with the values to try and a function that makes the fault for a value.
struct Unknown {
  std::string name;
  bool integer = false;
  std::vector<double> values;
  std::function<Fault(double)> fault;
};

/// Returns the numbers of the node: its parameters, those of functions that could replace it, and factors on its
/// operands and results.
[[nodiscard]] std::vector<Unknown> unknowns_of(const Base& base, const Node& node);

/// Returns the edit as a fault of the node's component. If the edit rounds a constant, its title states the rounded
/// value.
[[nodiscard]] Fault suspect_of(const Base& base, const Node& node, const Edit& edit);

/// Returns edits of flags, replacements by functions of the same signature, and other roundings.
[[nodiscard]] Suspects functions_of(const Base& base, const Node& node);
/// Returns edits of operands: narrower types, exchanged operands, other taps or weights of equal shape (nearest first),
/// and moves along an axis.
[[nodiscard]] Suspects operands_of(const Base& base, const Node& node);
/// Returns edits in which results were moved along an axis or not written.
[[nodiscard]] Suspects results_of(const Base& base, const Node& node);

}  // namespace parity::faults

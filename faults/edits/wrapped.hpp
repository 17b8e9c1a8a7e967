// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A component with other numbers before it or after it: the same signature, the same rounding points, its operands
// mapped. Values and their error bounds go the same way.
#pragma once

#include <string>
#include <vector>

#include "core/registry.hpp"
#include "faults/edits/tensor_map.hpp"

namespace parity::faults {

struct OperandMap {
  std::string field;
  bool output = false;
  PlacedMap map;
  size_t operand = 0;  // of a field that holds several
};

/// The kernel under `maps`, applied in binary64 and rounded to the operand's own type.
[[nodiscard]] ErasedKernel wrapped(const ErasedKernel& kernel, const Definition& definition,
                                   const std::vector<OperandMap>& maps);

/// Adds `name`, the reference of `component` under `maps`, to the registry.
void add_wrapped(Registry& registry, const std::string& name, const std::string& component,
                 const std::vector<OperandMap>& maps);

/// Adds `name`, which has the signature of `component` and writes its operand `field` to its only output of numbers.
void add_passing(Registry& registry, const std::string& name, const std::string& component, const std::string& field);

}  // namespace parity::faults

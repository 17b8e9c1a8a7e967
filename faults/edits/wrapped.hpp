// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Wraps a component with maps of its operands. The signature and rounding points stay. Error bounds are mapped like the
// values.
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
  size_t operand = 0;  // index in a field of several operands
};

/// Returns the kernel under `maps`. They are applied in binary64 and rounded to the operand's type.
[[nodiscard]] ErasedKernel wrapped(const ErasedKernel& kernel, const Definition& definition,
                                   const std::vector<OperandMap>& maps);

/// Adds to the registry `name`, the reference of `component` under `maps`.
void add_wrapped(Registry& registry, const std::string& name, const std::string& component,
                 const std::vector<OperandMap>& maps);

/// Adds `name`, with the signature of `component`. It copies its operand `field` to its only output of numbers.
void add_passing(Registry& registry, const std::string& name, const std::string& component, const std::string& field);

}  // namespace parity::faults

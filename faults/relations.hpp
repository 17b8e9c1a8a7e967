// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Metamorphic relations: what two runs of one model must have in common whatever the right values are. They need no golden
// and no reference.
#pragma once

#include <string>
#include <vector>

#include "faults/fault.hpp"

namespace parity::faults {

/// rms of the difference over rms of the values: roundings of binary32 stay a hundred times below, unequal runs far above.
constexpr double kSameRun = 1e-4;

struct RelationResult {
  std::string relation;  // "decode"
  std::string what;      // "token by token gives what all at once gives"
  std::string system;
  double deviation = 0.0;  // rms(difference) / rms(values)
  bool equal = true;       // asked for; else the runs must differ
  double within = kSameRun;
  [[nodiscard]] bool holds() const { return equal ? deviation <= within : deviation > within; }
};

/// Every relation on a small model of each system, with `fault` planted (or none). Systems that have no place for the fault
/// are left out. Error{usage} when that leaves none.
[[nodiscard]] std::vector<RelationResult> run_relations(const Fault* fault, uint64_t seed);

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Metamorphic relations: what two runs of one model must have in common whatever the right values are. They need no golden
// and no reference.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "faults/fault.hpp"

namespace parity::faults {

/// rms of the difference over rms of the values: roundings of binary32 stay a hundred times below, unequal runs far above.
constexpr double kSameRun = 1e-4;

struct RelationResult {
  std::string relation;    // "decode"
  std::string what;        // "token by token gives what all at once gives"
  std::string subject;     // "minimax_m2", or a part of a model
  double deviation = 0.0;  // rms(difference) / rms(values)
  bool equal = true;       // asked for; else the runs must differ
  double within = kSameRun;
  std::string refused;  // the message of a run that a fault brought to a stop
  [[nodiscard]] bool holds() const { return refused.empty() && (equal ? deviation <= within : deviation > within); }
};

/// Every relation on a small model of each system, on its caches, its vision tower and its processes, with `fault` planted
/// (or none). Subjects that have no place for the fault are left out. Error{usage} when that leaves none.
[[nodiscard]] std::vector<RelationResult> run_relations(const Fault* fault, uint64_t seed);

[[nodiscard]] bool all_hold(const std::vector<RelationResult>& results);

/// What a fault breaks.
struct BrokenRelations {
  const Fault* fault = nullptr;
  bool has_place = false;                                     // in the models that relations are tried on
  std::vector<std::pair<std::string, std::string>> broken{};  // relation and subject
};
/// One entry for each of `faults`, in their order, made by so many threads (0: one per processor).
[[nodiscard]] std::vector<BrokenRelations> study_relations(const std::vector<Fault>& faults, uint64_t seed,
                                                           int threads = 0);

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Metamorphic relations: what two runs of one model must have in common whatever the right values are. They need no golden
// and no reference.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "faults/relations/tried.hpp"

namespace parity::faults {

/// rms of the difference over rms of the values: roundings of binary32 stay a hundred times below, unequal runs far above.
/// Of the reference, which sums in one order; native kernels have an allowance of their own (docs/kernels.md#relations).
constexpr double kSameRun = 1e-4;
/// Runs of native kernels that must differ do so by so many times what roundings could make of equal ones.
constexpr double kSharp = 4.0;

enum class Relation : uint8_t {
  holds,
  broken,
  inconclusive,  // runs are unequal where a choice was a near tie
  not_shown,     // the candidate computed nothing of either run, or lacks what the model needs
};
[[nodiscard]] const char* to_string(Relation relation);

struct RelationResult {
  std::string relation;    // "decode"
  std::string what;        // "token by token gives what all at once gives"
  std::string subject;     // "minimax_m2", or a part of a model
  double deviation = 0.0;  // rms(difference) / rms(values)
  bool equal = true;       // asked for; else the runs must differ
  double within = kSameRun;
  std::string refused{};             // the message of a run that stopped
  bool lacking = false;              // … for something that the candidate never claimed to do
  std::string flip{};                // the first choice that roundings alone may have turned
  std::set<std::string> computed{};  // components of the two runs: the candidate's own,
  std::set<std::string> lent{};      // and those that the reference computed for it

  [[nodiscard]] Relation verdict() const;
  [[nodiscard]] bool holds() const { return verdict() == Relation::holds; }
};

/// Every relation on a small model of each system, on its caches, its vision tower and its processes. Subjects that have no
/// place for a fault are left out. Error{usage} when that leaves none.
[[nodiscard]] std::vector<RelationResult> run_relations(const Tried& tried, uint64_t seed);

/// Something was shown, and nothing is broken or left open.
[[nodiscard]] bool all_hold(const std::vector<RelationResult>& results);

/// What a fault breaks.
struct BrokenRelations {
  const Fault* fault = nullptr;
  bool has_place = false;                                     // in the models that relations are tried on
  std::vector<std::pair<std::string, std::string>> broken{};  // relation and subject
};
/// One entry for each of `faults`, in their order, made by so many threads (0: one per processor).
[[nodiscard]] std::vector<BrokenRelations> study_relations(const std::vector<Fault>& faults, uint64_t seed,
                                                           int threads = 0,
                                                           const std::function<void(size_t)>& progress = {});

}  // namespace parity::faults

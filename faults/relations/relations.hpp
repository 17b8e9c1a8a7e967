// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Metamorphic relations: properties that two runs of a model must have, whatever the right values are. They need
// neither a golden nor a reference.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "faults/relations/tried.hpp"

namespace parity::faults {

/// Largest rms of the difference over rms of the values of equal runs. Binary32 roundings are a hundred times smaller,
/// different runs far larger. For the reference only; native kernels have another limit (docs/kernels.md#relations).
constexpr double kSameRun = 1e-4;
/// Native runs that must differ do so by this multiple of what roundings could cause between equal runs.
constexpr double kSharp = 4.0;

enum class Relation : uint8_t {
  holds,
  broken,
  inconclusive,  // the runs differ where a choice was a near-tie
  not_shown,     // the candidate computed nothing in either run, or lacks kernels that the model needs
};
[[nodiscard]] const char* to_string(Relation relation);

struct RelationResult {
  std::string relation;    // such as "decode"
  std::string what;        // such as "token by token gives what all at once gives"
  std::string subject;     // such as "minimax_m2", or a part of a model
  double deviation = 0.0;  // rms(difference) / rms(values)
  bool equal = true;       // true: runs must be equal; false: they must differ
  double within = kSameRun;
  std::string refused{};             // message of a run that threw
  bool lacking = false;              // it threw because the candidate lacks a kernel
  std::string flip{};                // first choice that roundings may have changed
  std::set<std::string> computed{};  // components of both runs that the candidate computed
  std::set<std::string> lent{};      // components of both runs that the reference computed for it

  [[nodiscard]] Relation verdict() const;
  [[nodiscard]] bool holds() const { return verdict() == Relation::holds; }
};

/// Runs every relation on a small model of each system, its caches, vision tower and processes. Leaves out subjects
/// that the fault does not concern, and throws Error{usage} if none is left.
[[nodiscard]] std::vector<RelationResult> run_relations(const Tried& tried, uint64_t seed);

/// Whether a relation was shown to hold, and none is broken or inconclusive.
[[nodiscard]] bool all_hold(const std::vector<RelationResult>& results);

/// The relations that a fault breaks.
struct BrokenRelations {
  const Fault* fault = nullptr;
  bool has_place = false;                                     // some model of the relations has a node for it
  std::vector<std::pair<std::string, std::string>> broken{};  // pairs of relation and subject
};
/// Returns one entry for each of `faults`, in order, computed with `threads` threads (0: one per processor).
[[nodiscard]] std::vector<BrokenRelations> study_relations(const std::vector<Fault>& faults, uint64_t seed,
                                                           int threads = 0,
                                                           const std::function<void(size_t)>& progress = {});

}  // namespace parity::faults

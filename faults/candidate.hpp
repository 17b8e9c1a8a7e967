// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A candidate made of a plan: what the plan, edited or not, makes of a golden's inputs, as a recording.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "faults/edit.hpp"
#include "replay/evaluator.hpp"
#include "replay/recording.hpp"

namespace parity::faults {

struct Candidate {
  std::map<std::string, Tensor> datasets;  // what the golden records, as this candidate has it; by dataset
  /// Taps whose own node computes something else than the right one would of the same inputs: where the fault is.
  std::set<std::string> changed;
};

/// Walks the plan on its own values, as the oracle rounds, from the recorded inputs. `clean` and `weights` are the
/// unedited ones.
[[nodiscard]] Candidate candidate_of(const Edited& edited, const Plan& clean, const WeightSource& weights,
                                     const replay::Recording& golden);

}  // namespace parity::faults

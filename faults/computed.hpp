// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Candidates that are computed here: the kernels of a backend, the reference, and either with a known fault planted.
#pragma once

#include <set>
#include <string>

#include "compare/golden_run.hpp"
#include "core/fusion.hpp"
#include "faults/edits/edit.hpp"

namespace parity::faults {

/// Whose kernels compute a plan.
struct Kernels {
  std::string backend;               // "cpu", "cpu:fused"; empty: the reference
  const Fusions* fusions = nullptr;  // of them, instead of the build's own
  std::set<std::string> apart = {};  // outputs of nodes that no fused kernel takes
};

/// What `kernels` make of the edited plan. Maps of operands are laid around the kernel of the node; where there is no kernel of
/// a faulty component, or where a rounding point is edited, the reference computes the node with the edit. `recorded` is what
/// somebody will look at; `weights` must outlive the result.
[[nodiscard]] replay::Computation computation_of(const Edited& edited, const Kernels& kernels,
                                                 const WeightSource& weights, const replay::TapSource& recorded);

/// "cpu", "cpu:fused", "fault:ID", "cpu+fault:ID", "cpu:fused+fault:ID".
[[nodiscard]] bool is_computed(const std::string& candidate);
/// Error{usage} for an unknown fault; running it, Error{unsupported} for a golden that has no place for it.
[[nodiscard]] compare::Compute compute_of(const std::string& candidate);
/// The word for a fault planted around the kernels of a backend (empty: in the reference).
[[nodiscard]] std::string with_fault_word(const std::string& backend, const std::string& fault);

}  // namespace parity::faults

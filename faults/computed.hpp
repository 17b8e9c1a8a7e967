// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Candidates that run here: a backend's kernels or the reference, each with or without a known fault.
#pragma once

#include <set>
#include <string>

#include "compare/goldens/golden_run.hpp"
#include "core/fusion.hpp"
#include "faults/edits/edit.hpp"

namespace parity::faults {

/// The kernels that compute a plan.
struct Kernels {
  std::string backend;               // "cpu", "cpu:fused"; empty: the reference
  const Fusions* fusions = nullptr;  // fused kernels to use in place of the build's; may be nullptr
  std::set<std::string> apart = {};  // outputs of nodes that must not run in a fused kernel
};

/// Returns the computation of the edited plan with `kernels`. Maps of operands are wrapped around the node's kernel.
/// The reference computes a node with its edit if no kernel has the faulty component, or if a rounding point is edited.
/// Only taps in `recorded` will be read. `weights` must outlive the result.
[[nodiscard]] replay::Computation computation_of(const Edited& edited, const Kernels& kernels,
                                                 const WeightSource& weights, const replay::TapSource& recorded);

/// Whether the word names a candidate to compute: "cpu", "cpu:fused", "fault:ID", "cpu+fault:ID", "cpu:fused+fault:ID".
[[nodiscard]] bool is_computed(const std::string& candidate);
/// Returns the candidate's Compute, which throws Error{unsupported} if no node fits the fault. Unknown: Error{usage}.
[[nodiscard]] compare::Compute compute_of(const std::string& candidate);
/// Returns the name of a candidate with a fault around a backend's kernels (empty: in the reference).
[[nodiscard]] std::string with_fault_word(const std::string& backend, const std::string& fault);

}  // namespace parity::faults

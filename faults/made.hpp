// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Candidates that are run here: a known fault planted in the reference, or the kernels of a backend.
#pragma once

#include <string>
#include <vector>

#include "compare/golden_run.hpp"
#include "core/fusion.hpp"
#include "replay/native.hpp"

namespace parity::faults {

/// The backends whose kernels this build has, with their variants: "cpu", "torch", "torch:mask".
[[nodiscard]] std::vector<std::string> backends();
[[nodiscard]] bool is_backend(const std::string& candidate);

/// Error{usage} for a level that is none, Error{device} for one that the processor lacks: here, and not on a kernel's thread.
void require_instructions(const std::string& backend);
/// The reference's components with the backend's kernels for this working type in their places; the same every time.
/// Error{unsupported} when the backend has none.
[[nodiscard]] const replay::NativeBackend& native_backend(const std::string& backend, DType working);

/// The backend's fused kernels are asked for: "cpu:fused".
[[nodiscard]] bool is_fused(const std::string& candidate);
/// What a golden's plan becomes with a backend's kernels, those of chains of nodes included.
[[nodiscard]] compare::MadeCapture with_fused_kernels(const golden::Golden& golden, const std::string& backend,
                                                      const Fusions& fusions);

/// A kernel and what it computes; nothing where there is none.
struct NativeKernel {
  const KernelEntry* entry = nullptr;
  const Definition* definition = nullptr;
};
/// A backend's kernel of the component, or with ":fused" behind its name of the chain.
[[nodiscard]] NativeKernel native_kernel(const std::string& backend, const std::string& component, DType working);

/// A backend, one with its fused kernels, or "fault:ID".
[[nodiscard]] bool can_be_made(const std::string& candidate);
/// Walks a golden's plan as that candidate, once per golden, and writes what it computes as a capture.
[[nodiscard]] compare::MakeCapture maker_of(const std::string& candidate);

}  // namespace parity::faults

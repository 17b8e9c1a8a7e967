// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Candidates that are run here: a known fault planted in the reference, or the kernels of a backend.
#pragma once

#include <string>

#include "compare/golden_run.hpp"
#include "replay/native.hpp"

namespace parity::faults {

/// The reference's components with the kernels of "cpu" for this working type in their places; the same every time.
/// Error{unsupported} when the backend has none.
[[nodiscard]] const replay::NativeBackend& native_backend(const std::string& backend, DType working);

[[nodiscard]] bool has_kernel(const std::string& backend, const std::string& component, DType working);

/// "cpu" or "fault:ID".
[[nodiscard]] bool can_be_made(const std::string& candidate);
/// Walks a golden's plan as that candidate, once per golden, and writes what it computes as a capture.
[[nodiscard]] compare::MakeCapture maker_of(const std::string& candidate);

}  // namespace parity::faults

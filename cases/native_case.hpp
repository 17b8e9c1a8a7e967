// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Converts a drawn case to a call of a native kernel, of a component or fused.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cases/drawn/case.hpp"
#include "core/call.hpp"

namespace parity::cases {

/// Returns a call with operands in the types in which the case stores them. `definition` must outlive it.
[[nodiscard]] KernelCall native_call(const DrawnCase& drawn, const Definition& definition);
/// Returns the same call of the reference, in binary64; nothing for a fused kernel, which the reference does not have.
[[nodiscard]] std::optional<KernelCall> reference_call(const DrawnCase& drawn, const Definition& definition);
/// Runs the kernel and returns its outputs by tap, in host memory. They start as NaN or an invalid id, between guard
/// bytes. Throws Error{internal} if the kernel writes outside of them.
[[nodiscard]] std::map<std::string, Tensor> run_native(const DrawnCase& drawn, const KernelEntry& kernel,
                                                       const Definition& definition);

}  // namespace parity::cases

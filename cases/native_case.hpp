// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A drawn case as a call of a kernel of native types: a component's, or a fused one's.
#pragma once

#include <map>
#include <string>

#include "cases/drawn/case.hpp"
#include "core/call.hpp"

namespace parity::cases {

/// Operands in the types in which the case stores them. `definition` must outlive it.
[[nodiscard]] KernelCall native_call(const DrawnCase& drawn, const Definition& definition);
/// Outputs by tap, in the host's memory. They start as NaN, or as an absurd id, between guards. Error{internal} when the
/// kernel writes beside one.
[[nodiscard]] std::map<std::string, Tensor> run_native(const DrawnCase& drawn, const KernelEntry& kernel,
                                                       const Definition& definition);

}  // namespace parity::cases

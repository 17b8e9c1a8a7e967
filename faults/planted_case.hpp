// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plants faults of the catalogue in drawn cases.
#pragma once

#include "cases/drawn/case.hpp"
#include "faults/edits/fault.hpp"

namespace parity::faults {

/// Returns the reference with the fault as a kernel with the oracle's rounding.
[[nodiscard]] cases::CaseKernel with_fault(const Fault& fault);
/// Whether the fault can be planted in a single call of the case's component.
[[nodiscard]] bool has_place(const Fault& fault, const cases::CaseSpec& spec);

}  // namespace parity::faults

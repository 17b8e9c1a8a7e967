// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Faults of the catalogue in drawn cases.
#pragma once

#include "cases/drawn/case.hpp"
#include "faults/edits/fault.hpp"

namespace parity::faults {

/// The reference with the fault planted, as the oracle rounds.
[[nodiscard]] cases::CaseKernel with_fault(const Fault& fault);
/// Whether the fault can be planted in the case's component alone.
[[nodiscard]] bool has_place(const Fault& fault, const cases::CaseSpec& spec);

}  // namespace parity::faults

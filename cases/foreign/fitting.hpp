// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Drawn cases and what a binding requires of them.
#pragma once

#include <optional>
#include <string>

#include "cases/drawn/case.hpp"
#include "cases/foreign/binding.hpp"

namespace parity::cases {

/// Returns the first condition of the binding that does not hold for the case, or an empty string.
[[nodiscard]] std::string unmet(const Binding& binding, const DrawnCase& drawn);

/// Returns the case if all conditions hold for it, else one with drawn extents changed to the next ones for which they
/// hold ("H % 8 == 0": H 67 becomes 64), or nullopt if none was found.
[[nodiscard]] std::optional<CaseSpec> fitted(const Binding& binding, const CaseSpec& spec);

}  // namespace parity::cases

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks the names in the edits of a fault. Planted by a wrong name, a fault would look like one that has no node.
#pragma once

#include "faults/edits/fault.hpp"

namespace parity::faults {

/// Throws Error{schema} if an edit names a component that does not exist, or an input, an output, a parameter or a
/// rounding point that its component does not declare. A parameter may be one of the component that replaces it.
void require_names(const Fault& fault);

}  // namespace parity::faults

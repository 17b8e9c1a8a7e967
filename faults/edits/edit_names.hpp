// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks the names in the edits of a fault. Planted by a wrong name, a fault would look like one that has no node.
#pragma once

#include "faults/edits/fault.hpp"

namespace parity::faults {

/// Throws Error{schema} if an edit names an input, an output, a parameter or a rounding point that the component does not
/// declare. Edits after a ReplaceComponent concern the new component. Throws Error{not_found} for an unknown component.
/// Edits of ranks are not checked.
void require_names(const Fault& fault);

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Elements that a capture declares as not computed: whole sequences, and elements at padding.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::replay {

/// Returns for each element of the tap whether it was not computed; empty if all were. Padding is what the call's
/// attention_mask ([B,K], in `golden`) hides: query tokens along S and N, key slots along K. Throws Error{schema} if a
/// mask is not over slots.
[[nodiscard]] std::vector<bool> uncomputed_elements(const Plan& plan, const std::string& tap,
                                                    const golden::Declaration& declared,
                                                    const golden::ActivationFile& golden);

}  // namespace parity::replay

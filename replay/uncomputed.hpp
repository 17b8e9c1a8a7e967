// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Elements that a capture says it did not compute: sequences, and what stands at padding.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"
#include "golden/declaration.hpp"

namespace parity::replay {

/// One per element of the tap, true where nothing was computed; empty when everything was. Padding is what the call's
/// attention_mask ([B,K], in `golden`) hides: query tokens along S and N, key slots along K. Error{schema} where a mask
/// is not one of slots.
[[nodiscard]] std::vector<bool> uncomputed_elements(const Plan& plan, const std::string& tap,
                                                    const golden::Declaration& declared,
                                                    const golden::ActivationFile& golden);

}  // namespace parity::replay

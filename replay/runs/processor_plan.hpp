// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Makes the plan of a recording of the processors.
#pragma once

#include "core/plan.hpp"
#include "golden/golden.hpp"

namespace parity::replay {

/// Whether the golden has no call of the model, but a group /processor.
[[nodiscard]] bool is_processor_golden(const golden::Golden& golden);
/// Returns the plan. Error{schema}: a dataset lacks its counterpart. Error{unsupported}: not one token per character.
[[nodiscard]] Plan processor_plan_of(const golden::Golden& golden, const std::string& profile);

}  // namespace parity::replay

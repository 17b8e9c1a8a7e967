// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// From a recording of the processors to its plan.
#pragma once

#include "core/plan.hpp"
#include "golden/golden.hpp"

namespace parity::replay {

/// The golden holds no call of the model, but a group /processor.
[[nodiscard]] bool is_processor_golden(const golden::Golden& golden);
/// Error{schema}: a dataset without its counterpart; Error{unsupported}: another tokenizer than one token per character.
[[nodiscard]] Plan processor_plan_of(const golden::Golden& golden, const std::string& profile);

}  // namespace parity::replay

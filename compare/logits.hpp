// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Logits as what they are: a distribution over words.
#pragma once

#include "compare/record.hpp"
#include "compare/tolerance.hpp"

namespace parity::compare {

/// Rows of `values` as logits of one token each: the candidate against the oracle-rounded reference. Rows with NaN or
/// infinite logits are left out: their masks are judged elsewhere.
[[nodiscard]] Logits compare_logits(const Values& values);

}  // namespace parity::compare

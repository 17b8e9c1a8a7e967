// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Compares logits as distributions over words.
#pragma once

#include "compare/judging/record.hpp"
#include "compare/judging/tolerance.hpp"

namespace parity::compare {

/// Compares rows of logits, one token each, between the candidate and the oracle-rounded reference. A row with NaN or
/// infinite logits is left out, because the masks are judged elsewhere.
[[nodiscard]] Logits compare_logits(const Values& values);

}  // namespace parity::compare

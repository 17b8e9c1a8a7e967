// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Detects that a recorded loss includes the router's auxiliary loss although no setting says so.
#pragma once

#include "golden/golden.hpp"

namespace parity::replay {

/// Whether the recorded loss of a call exceeds the cross-entropy of its recorded logits by more than a quarter of
/// `coefficient`. The auxiliary loss is about the number of experts per token, and at least 1 near balance. False if
/// logits, labels or loss are not recorded. The loss that was found is judged as in any other recording.
[[nodiscard]] bool loss_holds_aux(const golden::Golden& golden, const golden::StepInfo& step, double coefficient);

}  // namespace parity::replay

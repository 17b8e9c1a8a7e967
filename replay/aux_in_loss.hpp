// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A recorded loss may contain the router's auxiliary loss although nothing else says so.
#pragma once

#include "golden/golden.hpp"

namespace parity::replay {

/// Whether the recorded loss of a call exceeds the cross-entropy of its recorded logits by more than a quarter of
/// `coefficient`: the auxiliary loss is about as large as the experts per token, at least 1 near balance. False where
/// logits, labels or the loss are not recorded. Which of both it is, is then judged as for any other recording.
[[nodiscard]] bool loss_holds_aux(const golden::Golden& golden, const golden::StepInfo& step, double coefficient);

}  // namespace parity::replay

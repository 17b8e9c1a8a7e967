// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Notes on a computed candidate: which nodes ran fused, and which components it lacks.
#pragma once

#include "compare/judging/record.hpp"
#include "replay/execution/execution.hpp"

namespace parity::compare {

/// Adds the notes to `report`. `plan` is the golden's plan.
void note_computation(const replay::Computation& computation, const Plan& plan, GoldenReport& report);

}  // namespace parity::compare

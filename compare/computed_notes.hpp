// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a reader should know of a candidate that was computed: which nodes ran fused, which components it lacks.
#pragma once

#include "compare/record.hpp"
#include "replay/execution.hpp"

namespace parity::compare {

/// Adds notes; `plan` is the golden's.
void note_computation(const replay::Computation& computation, const Plan& plan, GoldenReport& report);

}  // namespace parity::compare

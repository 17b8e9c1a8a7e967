// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a fixture exercises: a golden in which no block is ever dropped proves nothing about selection.
#pragma once

#include "compare/record.hpp"
#include "replay/tap_source.hpp"

namespace parity::compare {

/// Notes, pooled over the golden, what its recorded taps never exercise of what components declare (Exercise in
/// core/component.hpp), and marks their passes as mistrusted unless a note is all that is asked for.
void judge_coverage(const Plan& plan, const replay::TapSource& recording, GoldenReport& report);

}  // namespace parity::compare

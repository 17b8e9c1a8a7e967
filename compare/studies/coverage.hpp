// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks what a golden exercises: if no block is ever dropped, the golden proves nothing about block selection.
#pragma once

#include "compare/judging/record.hpp"
#include "replay/captures/tap_source.hpp"

namespace parity::compare {

/// Adds a note for each event that a component declares (Exercise in core/component.hpp) and that the golden's recorded
/// taps never show. Passing records of the component become mistrusted, unless its declaration requires only a note.
void judge_coverage(const Plan& plan, const replay::TapSource& recording, GoldenReport& report);

}  // namespace parity::compare

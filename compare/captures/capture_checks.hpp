// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks of a capture beyond its records: whether it copies the golden, and which taps are lost, unfilled or unknown.
#pragma once

#include <string>
#include <vector>

#include "compare/goldens/goldens_bits.hpp"
#include "compare/judging/record.hpp"
#include "replay/runs/recording.hpp"
#include "replay/spans/span.hpp"

namespace parity::compare {

/// The recordings of the golden and of the candidate, read under one plan.
struct CaptureView {
  const replay::Recording& golden;
  const replay::Recording& capture;
  Origin origin{};
  std::string select = "*";
};

/// Fills `capture` and `not_shown` of a report whose records, taps and unknown taps are known. If the capture is the
/// golden itself, its records are skipped, because they prove nothing. In a capture that does not state its origin, a
/// tap with the golden's bits is skipped too if its inputs have other bits: it was copied, not computed.
void check_capture(const CaptureView& view, const std::vector<replay::Span>& spans, GoldenReport& report);

/// Counts for each component the taps that the golden records, and how many of these were judged.
void count_coverage(const replay::Recording& golden, GoldenReport& report);
/// Checks that each recorded tap of `required` was judged. Entries are globs over taps (with a slash) or components.
void check_required(const std::vector<std::string>& required, GoldenReport& report);

/// Turns the verdicts pass and skipped into mistrusted if the report has reasons in `not_shown`.
void apply_not_shown(GoldenReport& report);

}  // namespace parity::compare

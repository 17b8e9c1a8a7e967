// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a capture shows beyond its records: whether it is the golden itself, which taps it lost, and which are unfilled or unknown.
#pragma once

#include <string>
#include <vector>

#include "compare/goldens_bits.hpp"
#include "compare/record.hpp"
#include "replay/recording.hpp"
#include "replay/span.hpp"

namespace parity::compare {

/// A candidate's file and the golden's, under one plan.
struct CaptureView {
  const replay::Recording& golden;
  const replay::Recording& capture;
  Origin origin{};
  std::string select = "*";
};

/// Fills `capture` and `not_shown` of a report whose records, taps and unknown taps are known. Records of a file that is
/// the golden are skipped: they show nothing. So are those of taps with the golden's bits whose inputs have other bits, in a
/// file that says nothing of its origin: they were copied, not computed.
void check_capture(const CaptureView& view, const std::vector<replay::Span>& spans, GoldenReport& report);

/// Judged taps by component, of those that the golden records.
void count_coverage(const replay::Recording& golden, GoldenReport& report);
/// Globs over taps (with a slash) or components: each tap of them that the golden records must have been judged.
void check_required(const std::vector<std::string>& required, GoldenReport& report);

/// A report with reasons in not_shown is never green.
void apply_not_shown(GoldenReport& report);

}  // namespace parity::compare

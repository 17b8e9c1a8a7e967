// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tap accounting: every dataset of a recording and every output of the plan is counted in one category.
#pragma once

#include "compare/judging/record.hpp"
#include "replay/runs/recording.hpp"
#include "replay/spans/span.hpp"

namespace parity::compare {

/// Fills `taps` and `unknown_taps` of `report`. A tap counts as judged if the report has a record that judged it.
void account_taps(const Plan& plan, const replay::Recording& recording, const std::vector<replay::Span>& spans,
                  const std::string& select, GoldenReport& report);

/// Counts judged and unjudged taps again, after the status of some records changed.
void recount_judged(GoldenReport& report);

}  // namespace parity::compare

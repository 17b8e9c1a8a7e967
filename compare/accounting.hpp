// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tap accounting: every dataset of a recording and every output of the plan is spoken for.
#pragma once

#include "compare/record.hpp"
#include "replay/recording.hpp"
#include "replay/span.hpp"

namespace parity::compare {

/// Fills taps and unknown_taps of `report`; judged is what its records have judged.
void account_taps(const Plan& plan, const replay::Recording& recording, const std::vector<replay::Span>& spans,
                  const std::string& select, GoldenReport& report);

/// Once more, after records changed their status: judged and unjudged.
void recount_judged(GoldenReport& report);

}  // namespace parity::compare

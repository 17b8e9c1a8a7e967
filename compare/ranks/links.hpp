// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What ranks sent each other, set against the formulas of the plan's collectives.
#pragma once

#include "compare/judging/record.hpp"
#include "ranks/traffic.hpp"
#include "replay/captures/tap_source.hpp"

namespace parity::compare {

/// Adds the counted traffic to the report, beside what `plan` asks for, and a note with the sums over layers and ranks.
/// The note names the first place where they differ. `values` has the ids that chose the rows of dispatched tokens. Adds
/// nothing if nothing was sent and nothing is asked for, or if `values` lacks ids.
void report_links(const ranks::LinkCounts& counted, const Plan& plan, const replay::TapSource& values,
                  GoldenReport& report);

}  // namespace parity::compare

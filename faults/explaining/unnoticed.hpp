// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Faults that a passing run does not rule out: with such
// a fault in the reference, the candidate passes too.
#pragma once

#include <string>
#include <vector>

#include "compare/goldens/golden_run.hpp"

namespace parity::faults {

struct Unnoticed {
  std::vector<std::string> faults;     // ids: the candidate also passes against the reference with the fault
  std::vector<std::string> no_effect;  // ids: they change no judged value of this golden
  int64_t tried = 0;                   // number of faults that a judged node could have
};

/// Judges a run's isolated taps again, against the reference with each fault in turn. `report` must be of that run.
[[nodiscard]] Unnoticed unnoticed_faults(const golden::Golden& golden, const compare::RunOptions& options,
                                         const compare::GoldenReport& report);
/// Returns "2 of 90 faults of the catalogue are not told apart from what ran: a, b; 3 change no value here: c, d, e".
[[nodiscard]] std::string text_of(const Unnoticed& unnoticed);

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a run that holds does not rule out: faults of the catalogue with which in the reference the same candidate holds as
// well.
#pragma once

#include <string>
#include <vector>

#include "compare/golden_run.hpp"

namespace parity::faults {

struct Unnoticed {
  std::vector<std::string> faults;     // ids: the candidate is accepted against the reference with the fault, too
  std::vector<std::string> no_effect;  // ids: they change no judged value of this golden
  int64_t tried = 0;                   // faults that a judged node could have
};

/// Judges the isolated taps of a run again, against the reference with each fault in turn; `report` is of that run.
[[nodiscard]] Unnoticed unnoticed_faults(const golden::Golden& golden, const compare::RunOptions& options,
                                         const compare::GoldenReport& report);
/// "2 of 90 faults of the catalogue are not told apart from what ran: a, b; 3 change no value here: c, d, e"
[[nodiscard]] std::string text_of(const Unnoticed& unnoticed);

}  // namespace parity::faults

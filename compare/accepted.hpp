// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Deviations that a team accepts: each is stated for some taps, with a limit, a reason and a date.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compare/record.hpp"

namespace parity::compare {

struct Accepted {
  std::string tap;      // glob
  std::string fault;    // the taps must be right with this fault assumed; or
  double factor = 0.0;  // … use at most this many times their tolerance
  std::string reason;
  std::string date;  // when it was decided: 2026-11-22
};

/// Taps that pass, or deviate within bounds, when the fault is assumed.
using RightUnder = std::function<std::set<std::string>(const std::string& fault)>;

/// Marks what the list covers (Record::accepted); nothing else changes: the answer is about the candidate, not about the list.
/// Only what was judged can be accepted: an entry over taps that are mistrusted or in error is noted, and they stay open.
/// An entry that covers nothing is noted: it may be deleted.
void accept(const std::vector<Accepted>& list, const RightUnder& right_under, GoldenReport& report);

/// Fails, is mistrusted, or rounds differently where bits are required, and is not accepted.
[[nodiscard]] bool is_open(const Record& record, Policy policy);

/// Entries that would cover what is open, ready to be completed with a reason: the faults that explain all of it, else a
/// factor by pooled tap ("steps/*/text/layers/*/…"). Taps that are wrong beyond any useful factor get none.
[[nodiscard]] std::vector<Accepted> proposals(const GoldenReport& report);

}  // namespace parity::compare

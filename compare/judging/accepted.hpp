// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Deviations that a team accepts. Each entry names some taps and gives a limit, a reason and a date.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compare/judging/record.hpp"

namespace parity::compare {

struct Accepted {
  std::string tap;      // glob over the taps that the entry covers
  std::string fault;    // a covered tap must be right when this fault is assumed; empty if `factor` is used
  double factor = 0.0;  // a covered tap may use up to this multiple of its tolerance; 0 if `fault` is used
  std::string reason;
  std::string date;  // date of the decision: 2026-11-22
};

/// Returns the taps that pass, or deviate within bounds, when the named fault is assumed.
using RightUnder = std::function<std::set<std::string>(const std::string& fault)>;

/// Sets Record::accepted for the records that an entry of `list` covers. Status and answer stay: they describe the
/// candidate. A record that is mistrusted or in error has no judged values: its entry is noted, and the record stays
/// open. An entry that covers no record is also noted, because it can be deleted.
void accept(const std::vector<Accepted>& list, const RightUnder& right_under, GoldenReport& report);

/// Whether `record` fails, is mistrusted, or rounds differently where bits are required, and is not accepted.
[[nodiscard]] bool is_open(const Record& record, Policy policy);

/// Proposes entries that would cover every open record, without reasons: the faults that explain all of them, or a
/// factor per pooled tap ("steps/*/text/layers/*/…"). A tap whose error is too large for a useful factor gets no entry.
[[nodiscard]] std::vector<Accepted> proposals(const GoldenReport& report);

}  // namespace parity::compare

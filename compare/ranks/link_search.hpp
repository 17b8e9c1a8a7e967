// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which message of a collective arrived wrong, when everything that was sent is right: each rank sent its part, and one
// part as the receiver has it is another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/captures/exchange.hpp"

namespace parity::compare {

/// A sender whose part explains what was received, if it arrived in this way.
struct Suspect {
  int64_t sender = -1;
  std::string how;
  double explains = 0.0;
};

struct LinkFinding {
  int64_t sender = -1;              // whose part is wrong at the receiver; -1: no single one
  std::string how;                  // "zeros", "the part of rank 5", "the sum of ranks 4-7"; empty: nothing known fits
  double explains = 0.0;            // share of the wrong elements
  bool beyond = false;              // what was received is beyond the bounds of what was sent
  std::vector<Suspect> suspects{};  // of a sum in which one of several terms may be wrong: `sender` is -1

  /// Names the sender that `other`, what the same rank received elsewhere of the same ranks, leaves as the only one.
  void settle(const LinkFinding& other);
};

/// Returns what is wrong with what was received, or a finding without sender and text if nothing is, or nothing known
/// fits. `values` has the taps of other calls, layers and ranks, which may have been sent instead.
[[nodiscard]] LinkFinding search_link(const Exchange& exchange, const replay::Evaluator& evaluator,
                                      const replay::TapSource& values);

}  // namespace parity::compare

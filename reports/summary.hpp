// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Records counted by component, mode or tap, and the one line that says it all.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/record.hpp"

namespace parity::reports {

struct Tally {
  int64_t judged = 0;  // passed + failed + mistrusted
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t mistrusted = 0;
  int64_t other = 0;  // unimplemented, skipped, not recorded, error
  double worst_budget = 0.0;
  double worst_relative_error = 0.0;
  compare::BitEqual bit_equal;  // pooled
  int64_t flips = 0;

  void add(const compare::Record& record);
};

/// Tallies under keys of one or more cells, in order of first appearance: the plan's order.
class Tallies {
 public:
  using Key = std::vector<std::string>;
  [[nodiscard]] Tally& at(const Key& key);
  [[nodiscard]] const std::vector<std::pair<Key, Tally>>& rows() const { return rows_; }

 private:
  std::map<Key, size_t> index_;
  std::vector<std::pair<Key, Tally>> rows_;
};

/// The larger one; NaN is worse than every number.
[[nodiscard]] double worse(double a, double b);
/// Numbers stripped: "steps/*/text/layers/*/attention/core/out".
[[nodiscard]] std::string pooled_tap(const std::string& tap);
/// Floating type of most judged records; "-" without one.
[[nodiscard]] std::string usual_dtype(const compare::GoldenReport& golden);
/// Of its folder where it has none, plain.
[[nodiscard]] std::string name_of(const compare::GoldenReport& golden);
/// "189 taps judged"; "189 of 241 taps judged" where some are not recorded, lie inside a span or cannot be judged.
[[nodiscard]] std::string judged_taps(const compare::GoldenReport& golden);
/// "tap (component): explanation", plain; "-" for none.
[[nodiscard]] std::string divergence_text(const std::optional<compare::Divergence>& divergence);
/// "exchanged: heads 3 and 5 exchanged"; with what it does not explain. Empty when nobody can say what the wrong values are.
[[nodiscard]] std::string values_text(const std::optional<compare::ValueMatch>& values);
/// "parameter swiglu.alpha=1.703125: alpha is 1.703125; explains 100% of the failing taps, from TAP"
[[nodiscard]] std::string cause_text(const compare::Cause& cause, bool with_tap = true);
/// The verdict is pass and at least one record is.
[[nodiscard]] bool parity_holds(const compare::RunReport& report);
/// "parity holds: 6 goldens, 3123 taps judged, 0 unknown", or what is wrong.
[[nodiscard]] std::string closing_line(const compare::RunReport& report);

}  // namespace parity::reports

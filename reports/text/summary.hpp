// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counts of records by component, mode or tap, and the closing line of a report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/judging/record.hpp"

namespace parity::reports {

struct Tally {
  int64_t judged = 0;  // passed + failed + mistrusted
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t mistrusted = 0;
  int64_t other = 0;  // unimplemented, skipped, not recorded, error
  double worst_budget = 0.0;
  double worst_relative_error = 0.0;
  compare::BitEqual bit_equal;  // sums over the records
  int64_t flips = 0;

  void add(const compare::Record& record);
};

/// Tallies by keys of one or more cells, in the order in which the keys first appear, which is the plan's.
class Tallies {
 public:
  using Key = std::vector<std::string>;
  [[nodiscard]] Tally& at(const Key& key);
  [[nodiscard]] const std::vector<std::pair<Key, Tally>>& rows() const { return rows_; }

 private:
  std::map<Key, size_t> index_;
  std::vector<std::pair<Key, Tally>> rows_;
};

/// Returns the larger number. NaN is worse than every number.
[[nodiscard]] double worse(double a, double b);
/// Returns the tap with its numbers replaced by "*": "steps/*/text/layers/*/attention/core/out".
[[nodiscard]] std::string pooled_tap(const std::string& tap);
/// Returns the floating-point type of most judged records, or "-" without one.
[[nodiscard]] std::string usual_dtype(const compare::GoldenReport& golden);
/// Returns the name of the golden, or else of its folder, as plain text.
[[nodiscard]] std::string name_of(const compare::GoldenReport& golden);
/// Returns "189 taps judged", or "189 of 241 taps judged" if some are not recorded, inside a span or not judgeable.
[[nodiscard]] std::string judged_taps(const compare::GoldenReport& golden);
/// Returns "tap (component): explanation" as plain text, or "-" for none.
[[nodiscard]] std::string divergence_text(const std::optional<compare::Divergence>& divergence);
/// Returns "exchanged: heads 3 and 5 exchanged", with the share left unexplained; "" if there is no description.
[[nodiscard]] std::string values_text(const std::optional<compare::ValueMatch>& values);
/// Returns "parameter swiglu.alpha=1.703125: alpha is 1.703125; explains 100% of the failing taps, from TAP".
[[nodiscard]] std::string cause_text(const compare::Cause& cause, bool with_tap = true);
/// Whether the verdict is pass, and at least one record passes.
[[nodiscard]] bool parity_holds(const compare::RunReport& report);
/// Returns "parity holds: 6 goldens, 3123 taps judged, 0 unknown", or what is wrong.
[[nodiscard]] std::string closing_line(const compare::RunReport& report);

}  // namespace parity::reports

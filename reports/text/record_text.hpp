// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Describes one record in words that the terminal, JUnit and Markdown share.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compare/judging/record.hpp"

namespace parity::reports {

/// The result of a status for a gate.
enum class Outcome : uint8_t { passed, skipped, failed, error };

/// Returns the outcome. Unimplemented, mistrusted and unexplained skips are not green, so they count as failed.
[[nodiscard]] Outcome outcome_of(compare::Status status, const std::string& reason);
[[nodiscard]] Outcome outcome_of(const compare::Record& record);
/// Whether numbers were compared: pass, fail or mistrusted.
[[nodiscard]] bool is_judged(compare::Status status);

/// The records of a golden that fail in a chain only because of wrong inputs: they pass in isolated mode, and an
/// earlier record of the chain fails.
class Inherited {
 public:
  explicit Inherited(const compare::GoldenReport& golden);
  [[nodiscard]] bool contains(const compare::Record& record) const { return records_.contains(&record); }

 private:
  std::set<const compare::Record*> records_;
};

/// A labelled line, such as "worst" with a description of the worst element.
struct Detail {
  std::string label, text;
};

/// Returns "FAIL TAP   COMPONENT  …": the failing tap, and the size of the failure.
[[nodiscard]] std::string failing_head(const compare::Record& record);
/// Returns the details: the worst element, where or why it failed, whether the error is inherited, and the repro line.
[[nodiscard]] std::vector<Detail> failing_details(const compare::Record& record, bool inherited = false);
/// Returns failing_head and failing_details, one line per detail, without a final line feed.
[[nodiscard]] std::string failing_text(const compare::Record& record, bool inherited = false);
/// Returns "490x the limit, 3 of 104448 elements beyond it", or "" if nothing was compared.
[[nodiscard]] std::string extent_of_failure(const compare::Record& record);
/// Returns "token 11, channel 4097: exact 0.24871 (bf16: 0.24902), got 0.25195 (2 ulp)", or "" without an element.
[[nodiscard]] std::string worst_element(const compare::Record& record);
/// Returns one line, which begins a JUnit message.
[[nodiscard]] std::string short_text(const compare::Record& record);

}  // namespace parity::reports

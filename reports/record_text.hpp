// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One record in words: the same lines on the terminal, in JUnit and in Markdown.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compare/record.hpp"

namespace parity::reports {

/// What a gate makes of a status.
enum class Outcome : uint8_t { passed, skipped, failed, error };

/// Unimplemented, mistrusted and a skip that nobody explained are not green: they count as failed.
[[nodiscard]] Outcome outcome_of(compare::Status status, const std::string& reason);
[[nodiscard]] Outcome outcome_of(const compare::Record& record);
/// pass, fail or mistrusted: numbers were compared.
[[nodiscard]] bool is_judged(compare::Status status);

/// Records of a golden that fail in a chain only because what they were given was wrong: judged alone they pass, and
/// something before them in the chain fails.
class Inherited {
 public:
  explicit Inherited(const compare::GoldenReport& golden);
  [[nodiscard]] bool contains(const compare::Record& record) const { return records_.contains(&record); }

 private:
  std::set<const compare::Record*> records_;
};

/// "worst", and what the worst element is.
struct Detail {
  std::string label, text;
};

/// "FAIL TAP   COMPONENT  …": what failed, and how much of it.
[[nodiscard]] std::string failing_head(const compare::Record& record);
/// The worst element, where or why, whether it is its own fault, the repro line.
[[nodiscard]] std::vector<Detail> failing_details(const compare::Record& record, bool inherited = false);
/// Both, without a final line feed; one line a detail.
[[nodiscard]] std::string failing_text(const compare::Record& record, bool inherited = false);
/// "490x the limit, 3 of 104448 elements beyond it"; empty when nothing was compared.
[[nodiscard]] std::string extent_of_failure(const compare::Record& record);
/// "token 11, channel 4097: exact 0.24871, as bf16 0.24902, got 0.25195 (2 ulp)"; empty where no element is named.
[[nodiscard]] std::string worst_element(const compare::Record& record);
/// One line: the first half of a JUnit message.
[[nodiscard]] std::string short_text(const compare::Record& record);

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One record in words: the same lines on the terminal, in JUnit and in Markdown.
#pragma once

#include <string>

#include "compare/record.hpp"

namespace parity::reports {

/// What a gate makes of a status.
enum class Outcome : uint8_t { passed, skipped, failed, error };

/// Unimplemented, mistrusted and a skip that nobody explained are not green: they count as failed.
[[nodiscard]] Outcome outcome_of(compare::Status status, const std::string& reason);
[[nodiscard]] Outcome outcome_of(const compare::Record& record);
/// pass, fail or mistrusted: numbers were compared.
[[nodiscard]] bool is_judged(compare::Status status);

/// Up to four lines without a final line feed: what failed, the worst element, where or why, the repro line.
[[nodiscard]] std::string failing_text(const compare::Record& record);
/// One line: the first half of a JUnit message.
[[nodiscard]] std::string short_text(const compare::Record& record);

}  // namespace parity::reports

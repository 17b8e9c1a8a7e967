// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Renders a report as Markdown for a comment on a pull request.
#pragma once

#include <cstddef>
#include <string>

#include "compare/judging/record.hpp"

namespace parity::reports {

/// Largest comment, in bytes, that GitHub accepts.
inline constexpr size_t kLongestComment = 65536;

/// Returns at most `longest` bytes (4096 or more). A note counts the parts that do not fit.
[[nodiscard]] std::string markdown(const compare::RunReport& report, size_t longest = kLongestComment);

}  // namespace parity::reports

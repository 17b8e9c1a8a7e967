// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Markdown for a comment on a pull request.
#pragma once

#include <cstddef>
#include <string>

#include "compare/record.hpp"

namespace parity::reports {

/// GitHub refuses longer comments.
inline constexpr size_t kLongestComment = 65536;

/// At most `longest` bytes (4096 or more); what does not fit is counted in a note.
[[nodiscard]] std::string markdown(const compare::RunReport& report, size_t longest = kLongestComment);

}  // namespace parity::reports

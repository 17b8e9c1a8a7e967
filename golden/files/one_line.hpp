// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Text from foreign files, made safe for a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace parity::golden {

/// The text with control characters replaced by '?'; a text longer than `longest` bytes is cut and ends in "…".
[[nodiscard]] std::string one_line(std::string_view text, size_t longest = 200);

}  // namespace parity::golden

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Text out of files that others wrote, made fit for a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace parity::golden {

/// Control characters become '?'; longer text is cut and ends in "…".
[[nodiscard]] std::string one_line(std::string_view text, size_t longest = 200);

}  // namespace parity::golden

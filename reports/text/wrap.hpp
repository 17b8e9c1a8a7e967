// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Wraps text to the width of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parity::reports {

inline constexpr size_t kHang = static_cast<size_t>(-1);

/// Breaks text at spaces. Later lines begin with `hang` spaces. The first line begins at column `start`, by default
/// `hang`. A word longer than a line is not broken.
[[nodiscard]] std::string wrapped(std::string_view text, size_t width, size_t hang, size_t start = kHang);
/// Breaks a shell command with " \" so that it can be pasted: before options, else between other words if too long.
[[nodiscard]] std::string wrapped_command(std::string_view command, size_t width, size_t hang);
/// Returns the text cut to `width` columns, with "…" for the lost end.
[[nodiscard]] std::string shortened(const std::string& text, size_t width);

}  // namespace parity::reports

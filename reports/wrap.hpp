// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Text in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parity::reports {

inline constexpr size_t kHang = static_cast<size_t>(-1);

/// Broken at spaces; lines after the first begin with `hang` spaces, as wide as what the caller writes before the
/// first one, or as `start` says. A word longer than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view text, size_t width, size_t hang, size_t start = kHang);
/// A shell command, broken by " \" so that it can be pasted: before options, and between other words if those are too long.
[[nodiscard]] std::string wrapped_command(std::string_view command, size_t width, size_t hang);
/// Cut to `width` columns, with "…" instead of what is lost at the end.
[[nodiscard]] std::string shortened(const std::string& text, size_t width);

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Small text helpers that every folder needs: nearest name for "did you mean", globs for --select.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parity {

/// Levenshtein distance.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);
/// The candidate nearest to `name`; empty if the distance exceeds a third of its length (but at least 2) for all.
[[nodiscard]] std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);
/// " (did you mean 'x'?)" with the nearest candidate, or an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);
/// Whether `text` matches a shell-like pattern: * is any run of characters, slashes included; ? is one character.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace parity

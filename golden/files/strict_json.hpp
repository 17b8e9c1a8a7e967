// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// JSON from foreign files: ambiguous or absurd input is refused in one line.
#pragma once

#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

namespace parity::golden {

/// Throws Error{schema} for text that is nested deeper than 64: printing and comparing JSON are recursive.
void check_nesting(std::string_view text);
/// Parses JSON. Throws Error{schema} for invalid JSON (NaN and Infinity are invalid), for a key that occurs twice in
/// one object, and for nesting deeper than 64.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);
/// Parses a file of at most 64 MiB as parse_json does; messages begin with the path.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path);
/// The first difference of two documents: "/text_config/rms_norm_eps: 1e-06 and 1e-05"; empty when they are equal.
[[nodiscard]] std::string first_difference(const nlohmann::json& a, const nlohmann::json& b);

}  // namespace parity::golden

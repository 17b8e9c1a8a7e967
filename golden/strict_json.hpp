// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// JSON that others wrote: what is ambiguous or absurd is refused in one line.
#pragma once

#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

namespace parity::golden {

/// Error{schema} for what is not JSON (NaN and Infinity are not), for a key given twice in one object, and for nesting
/// deeper than 64.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);
/// The same for a file of at most 64 MiB; messages begin with the path.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& path);
/// Where two documents first differ: "/text_config/rms_norm_eps: 1e-06 and 1e-05"; empty when they are equal.
[[nodiscard]] std::string first_difference(const nlohmann::json& a, const nlohmann::json& b);

}  // namespace parity::golden

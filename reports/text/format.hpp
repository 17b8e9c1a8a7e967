// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Formats of numbers, shapes and names in all renderings.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "compare/judging/record.hpp"

namespace parity::reports {

/// Returns valid UTF-8 without control characters: these become '?', and invalid bytes U+FFFD. Names come from files of
/// others and are shown on terminals and in XML. `keep_lines` keeps line feeds.
[[nodiscard]] std::string plain(std::string_view text, bool keep_lines = false);
/// Returns the width on a terminal: the number of code points of `plain` text.
[[nodiscard]] size_t columns(std::string_view text);

/// Returns "NaN", "Infinity", "-Infinity", or nullptr for a finite number.
[[nodiscard]] const char* non_finite_name(double value);
/// Returns the number, or its non_finite_name as a string, because JSON has no infinities.
[[nodiscard]] nlohmann::ordered_json json_number(double value);
[[nodiscard]] std::string number(double value, int significant_digits = 3);
/// Returns the value with enough digits to distinguish neighbours in `dtype`.
[[nodiscard]] std::string element(DType dtype, double value);
/// Returns the used share of a limit for a table: "87.5%", or beyond the limit "490x". Slightly beyond, it is ">1x" and
/// never "100%" or "1x". If no deviation is allowed, it is "none".
[[nodiscard]] std::string of_limit(double used);
/// Returns the used share of a limit in a sentence: "87.5% of the limit", "490x the limit", "none may deviate".
[[nodiscard]] std::string limit_text(double used);
/// Returns a percentage, such as "3.2%".
[[nodiscard]] std::string percent(double share);
/// Returns the share of equal bits, rounded down so that "100%" means every element; "-" if nothing was compared.
[[nodiscard]] std::string share(const compare::BitEqual& bits);
/// Returns the number, or "-" for 0, so that other values stand out in a table.
[[nodiscard]] std::string count(int64_t value);

/// Returns "(S=17,H=6144)".
[[nodiscard]] std::string shape_text(const std::string& axes, const Shape& shape);
/// Returns "[s=11,h=4097]".
[[nodiscard]] std::string index_text(const std::string& axes, const Shape& index);

}  // namespace parity::reports

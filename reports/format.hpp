// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How numbers, shapes and names look in every rendering.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "compare/record.hpp"

namespace parity::reports {

/// Valid UTF-8 without control characters (they become '?', broken bytes U+FFFD): names come out of files that others
/// wrote, and end up on terminals and in XML. With `keep_lines` a line feed stays.
[[nodiscard]] std::string plain(std::string_view text, bool keep_lines = false);
/// Columns on a terminal: code points, for `plain` text.
[[nodiscard]] size_t columns(std::string_view text);

/// "NaN", "Infinity", "-Infinity", or nullptr for a finite number.
[[nodiscard]] const char* non_finite_name(double value);
/// The number, or that name of it: JSON has no infinities.
[[nodiscard]] nlohmann::ordered_json json_number(double value);
[[nodiscard]] std::string number(double value, int significant_digits = 3);
/// With the digits that tell neighbours of `dtype` apart.
[[nodiscard]] std::string element(DType dtype, double value);
/// What is used of a limit, for a table: "87.5%", beyond it "490x". What is beyond never reads "100%" or "1x": ">1x".
/// "none" where no deviation at all is allowed.
[[nodiscard]] std::string of_limit(double used);
/// The same in a sentence: "87.5% of the limit", "490x the limit", "none may deviate".
[[nodiscard]] std::string limit_text(double used);
/// "3.2%"
[[nodiscard]] std::string percent(double share);
/// Rounded down, so that "100%" means every element; "-" when nothing was compared.
[[nodiscard]] std::string share(const compare::BitEqual& bits);
/// "-" for none: what is not zero stands out in a table.
[[nodiscard]] std::string count(int64_t value);

/// "(S=17,H=6144)"
[[nodiscard]] std::string shape_text(const std::string& axes, const Shape& shape);
/// "[s=11,h=4097]"
[[nodiscard]] std::string index_text(const std::string& axes, const Shape& index);

}  // namespace parity::reports

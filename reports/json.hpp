// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// report.json: everything that a run found out, and the way back. Schema: schema/report.schema.json.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "compare/record.hpp"

namespace parity::reports {

/// Grows with every change of the fields. A reader takes the one before as well: fields were only added.
inline constexpr const char* kSchemaVersion = "2.1";
inline constexpr const char* kEarlierVersion = "2.0";

/// NaN and infinities become the strings "NaN", "Infinity" and "-Infinity": JSON has no such numbers.
[[nodiscard]] nlohmann::ordered_json to_json(const compare::RunReport& report);
[[nodiscard]] nlohmann::ordered_json environment_json(const Environment& environment);
/// The text of the file; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const compare::RunReport& report);
/// The way back; fields that it does not know are left out. Error{schema} names the place: "/goldens/0/taps is missing".
[[nodiscard]] compare::RunReport from_json(const nlohmann::json& document);

}  // namespace parity::reports

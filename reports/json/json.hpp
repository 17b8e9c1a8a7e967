// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Writes and reads report.json, which has all results of a run. Schema: schema/report.schema.json.
#pragma once

#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "compare/judging/record.hpp"

namespace parity::reports {

/// Version of the fields; it grows with every change. The reader accepts earlier ones too: fields were only added.
inline constexpr const char* kSchemaVersion = "2.3";
inline constexpr std::array kEarlierVersions{"2.0", "2.1", "2.2"};

/// Returns the report as JSON. NaN and infinities become "NaN", "Infinity" and "-Infinity", since JSON lacks them.
[[nodiscard]] nlohmann::ordered_json to_json(const compare::RunReport& report);
[[nodiscard]] nlohmann::ordered_json environment_json(const Environment& environment);
/// A document as text, indented by so many blanks (-1: in one line). Bytes that are not UTF-8 become U+FFFD. Control
/// characters are escaped, those that JSON allows (U+007F to U+009F), too: they may reach a terminal.
[[nodiscard]] std::string printable_json(const nlohmann::ordered_json& document, int indent);
/// Returns the text of the file. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const compare::RunReport& report);
/// Reads a report and ignores unknown fields. Error{schema} names the place: "/goldens/0/taps is missing".
[[nodiscard]] compare::RunReport from_json(const nlohmann::json& document);

}  // namespace parity::reports

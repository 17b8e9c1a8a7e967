// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks a report.json against its schema. Supports the part of JSON Schema 2020-12 that our schemas use.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity::reports {

/// Returns schema/report.schema.json, which is compiled in.
[[nodiscard]] const nlohmann::json& report_schema();
/// Returns the schema of the other commands' documents.
[[nodiscard]] const nlohmann::json& study_schema();

/// Returns one line per violation, at most `most`: "/goldens/0/taps: 'judged' is missing". Empty if valid. Throws
/// Error{internal} for an unknown keyword of the schema, so that no part of a schema goes unchecked.
[[nodiscard]] std::vector<std::string> schema_violations(const nlohmann::json& document, const nlohmann::json& schema,
                                                         size_t most = 20);

}  // namespace parity::reports

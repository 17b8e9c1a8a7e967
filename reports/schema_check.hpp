// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Is a report.json what its schema promises? The part of JSON Schema 2020-12 that our schema uses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity::reports {

/// schema/report.schema.json, compiled in.
[[nodiscard]] const nlohmann::json& report_schema();
/// Of what the other commands write.
[[nodiscard]] const nlohmann::json& study_schema();

/// One line per violation, "/goldens/0/taps: 'judged' is missing", at most `most`; empty when the document is valid.
/// Error{internal} for a keyword that is not known here: a schema is never half checked.
[[nodiscard]] std::vector<std::string> schema_violations(const nlohmann::json& document, const nlohmann::json& schema,
                                                         size_t most = 20);

}  // namespace parity::reports

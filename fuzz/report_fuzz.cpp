// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks report.json against its schema and renders it in every format.
#include "fuzz/fuzz.hpp"
#include "golden/files/strict_json.hpp"
#include "reports/files/schema_check.hpp"
#include "reports/json/json.hpp"
#include "reports/text/junit.hpp"
#include "reports/text/markdown.hpp"
#include "reports/text/terminal.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) {
  const nlohmann::json document = golden::parse_json(input);
  (void)reports::schema_violations(document, reports::report_schema());
  const auto report = reports::from_json(document);
  for (const std::string& text : {reports::markdown(report), reports::junit_xml(report), reports::json_text(report),
                                  reports::terminal_text(report, {false})}) {
    PARITY_CHECK(text.find('\x1b') == std::string::npos, internal, "a rendering holds an escape sequence");
  }
}

}  // namespace parity::fuzz

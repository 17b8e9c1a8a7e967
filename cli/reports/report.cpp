// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/reports/report_file.hpp"
#include "cli/runs/sources.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/text.hpp"
#include "golden/files/strict_json.hpp"
#include "reports/files/files.hpp"
#include "reports/files/schema_check.hpp"
#include "reports/json/json.hpp"
#include "reports/text/format.hpp"
#include "reports/text/junit.hpp"
#include "reports/text/markdown.hpp"
#include "reports/text/page.hpp"
#include "reports/text/sarif.hpp"
#include "reports/text/terminal.hpp"

namespace parity::cli {

nlohmann::json read_report_file(const std::string& path) {
  try {
    return golden::read_json(path);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; name the report.json of a run", error.what()));
  }
}

namespace {

bool is_study(const nlohmann::json& document) {  // a document of a command other than `run`
  return document.is_object() && document.contains("kind");
}

std::vector<std::string> violations_of(const nlohmann::json& document) {
  return reports::schema_violations(document, is_study(document) ? reports::study_schema() : reports::report_schema());
}

int check(const std::string& path) {
  const auto violations = violations_of(read_report_file(path));
  for (const std::string& violation : violations)
    fmt::print("{}: {}\n", reports::plain(path), reports::plain(violation));
  if (violations.empty()) fmt::print("{}: follows the schema\n", reports::plain(path));
  return violations.empty() ? holds : golden_damaged;
}

std::string rendered(const compare::RunReport& report, const std::string& format, bool verbose) {
  if (format == "markdown") return reports::markdown(report);
  if (format == "junit") return reports::junit_xml(report);
  if (format == "json") return reports::json_text(report);
  return reports::terminal_text(report, terminal_style(verbose));
}

/// Reads a document for a page or a SARIF log. A run's is of the present version then; others have to follow the schema.
nlohmann::ordered_json document_of(const std::string& path) {
  const auto document = read_report_file(path);
  if (!is_study(document)) return reports::to_json(with_context(path, [&] { return reports::from_json(document); }));
  const auto violations = violations_of(document);
  PARITY_CHECK(
      violations.empty(), schema,
      "{} does not follow the schema of its kind of report: {}; write it again with --json of the same command",
      reports::plain(path), reports::plain(violations.front()));
  return nlohmann::ordered_json(document);
}

std::string page_of(const std::vector<std::string>& files) {
  std::vector<nlohmann::ordered_json> documents;
  for (const std::string& file : files) documents.push_back(document_of(file));
  return reports::html_page(documents);
}

/// Checks the format before the file is read, so that the first mistake is the one reported.
void require_known(const std::string& format) {
  const std::vector<std::string> formats{"markdown", "junit", "json", "terminal", "html", "sarif", "check"};
  PARITY_CHECK(std::find(formats.begin(), formats.end(), format) != formats.end(), usage,
               "report format '{}' is not known{}; use markdown, junit, json, terminal, html, sarif or check", format,
               did_you_mean(format, formats));
}

}  // namespace

int report(const ReportOptions& options) {
  require_known(options.format);
  if (options.format == "html") {
    reports::write_text_atomically(options.out, page_of(options.files));
    return holds;
  }
  PARITY_CHECK(options.files.size() == 1, usage,
               "parity report {} reads one file; only parity report html reads several", options.format);
  const std::string& file = options.files.front();
  if (options.format == "check") return check(file);
  if (options.format == "sarif") {
    reports::write_text_atomically(options.out, reports::sarif_text(document_of(file), sources({})));
    return holds;
  }
  const auto document = read_report_file(file);
  const auto report = with_context(file, [&] { return reports::from_json(document); });
  reports::write_text_atomically(options.out, rendered(report, options.format, options.verbose));
  return holds;
}

}  // namespace parity::cli

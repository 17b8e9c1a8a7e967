// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/report_file.hpp"
#include "cli/terminal.hpp"
#include "core/text.hpp"
#include "golden/strict_json.hpp"
#include "reports/files.hpp"
#include "reports/format.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/schema_check.hpp"
#include "reports/terminal.hpp"

namespace parity::cli {

nlohmann::json read_report_file(const std::string& path) {
  try {
    return golden::read_json(path);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; name the report.json of a run", error.what()));
  }
}

namespace {

int check(const std::string& path) {
  const auto document = read_report_file(path);
  const bool study = document.is_object() && document.contains("kind");  // a document of a command other than `run`
  const auto violations =
      reports::schema_violations(document, study ? reports::study_schema() : reports::report_schema());
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

/// Checks the format before the file is read, so that the first mistake is the one reported.
void require_known(const std::string& format) {
  const std::vector<std::string> formats{"markdown", "junit", "json", "terminal", "check"};
  PARITY_CHECK(std::find(formats.begin(), formats.end(), format) != formats.end(), usage,
               "report format '{}' is not known{}; use markdown, junit, json, terminal or check", format,
               did_you_mean(format, formats));
}

}  // namespace

int report(const ReportOptions& options) {
  require_known(options.format);
  if (options.format == "check") return check(options.file);
  const auto document = read_report_file(options.file);
  const auto report = with_context(options.file, [&] { return reports::from_json(document); });
  reports::write_text_atomically(options.out, rendered(report, options.format, options.verbose));
  return holds;
}

}  // namespace parity::cli

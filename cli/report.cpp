// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "core/text.hpp"
#include "reports/files.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/terminal.hpp"

namespace parity::cli {
namespace {

compare::RunReport load(const std::string& path) {
  std::ifstream file(path);
  PARITY_CHECK(file.good(), not_found, "{} cannot be read; give the report.json of a run", path);
  std::stringstream text;
  text << file.rdbuf();
  const auto document = nlohmann::json::parse(text.str(), nullptr, false);
  PARITY_CHECK(!document.is_discarded(), schema, "{} is not JSON; give the report.json of a run", path);
  return with_context(path, [&] { return reports::from_json(document); });
}

std::string rendered(const compare::RunReport& report, const std::string& format) {
  if (format == "markdown") return reports::markdown(report);
  if (format == "junit") return reports::junit_xml(report);
  if (format == "json") return reports::json_text(report);
  if (format == "terminal") return reports::terminal_text(report, {colour_wanted()});
  throw Error(ErrorCode::usage, fmt::format("report format '{}' is not known{}; use markdown, junit, json or terminal", format,
                                            did_you_mean(format, {"markdown", "junit", "json", "terminal"})));
}

}  // namespace

int report(const ReportOptions& options) {
  reports::write_text_atomically(options.out, rendered(load(options.file), options.format));
  return holds;
}

}  // namespace parity::cli

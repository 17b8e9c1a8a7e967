// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity merge`: joins the reports of the shards of one run or of one battery.

#include <algorithm>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/battery/battery_parts.hpp"
#include "cli/commands.hpp"
#include "cli/reports/document.hpp"
#include "cli/reports/report_file.hpp"
#include "cli/runs/run_parts.hpp"
#include "reports/files/schema_check.hpp"
#include "reports/json/json.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

/// Returns the exit code of goldens that could not be judged: the highest of those that the shards ended with.
int damage_of(const std::vector<reports::ShardReport>& shards) {
  int damage = holds;
  for (const reports::ShardReport& each : shards) {
    const int code = each.report.exit_code;
    if (code == golden_damaged || code == internal_error) damage = std::max(damage, code);
  }
  return damage;
}

using Batteries = std::vector<std::pair<std::string, nlohmann::ordered_json>>;

bool is_battery(const nlohmann::json& document) {
  return document.is_object() && document.value("kind", std::string()) == "battery";
}

/// Throws Error{schema} for a document that does not follow the schema.
void check_battery(const std::string& file, const nlohmann::json& document) {
  const nlohmann::json& schema = reports::study_schema();
  std::vector<std::string> violations = reports::schema_violations(document, schema);
  if (violations.empty() && !document.contains("components")) violations.emplace_back("components are missing");
  for (size_t i = 0; violations.empty() && i < document.at("components").size(); ++i)
    violations = reports::schema_violations(document.at("components")[i], schema.at("$defs").at("battery"));
  if (!violations.empty())
    throw Error(ErrorCode::schema, fmt::format("{}: {}; write this report again with parity battery --json", file,
                                               reports::plain(violations.front())));
}

void print_first(const nlohmann::ordered_json& battery) {
  const auto& first = battery.at("first");
  const auto text = [&](const char* field) { return reports::plain(first.at(field).get<std::string>()); };
  const std::string reason = text("reason");
  fmt::print("failing case {}, reduced to {}{}{}\n  repro: {}\n", text("found"), text("case"),
             reason.empty() ? "" : ": ", reason, text("repro"));
}

int merge_batteries(const Batteries& shards, const RunOptions& outputs) {
  PARITY_CHECK(
      outputs.junit.empty() && outputs.markdown.empty() && outputs.manifest.empty(), usage,
      "reports of parity battery cannot be merged to JUnit, Markdown or a manifest; use --json, --html or --sarif");
  const nlohmann::ordered_json whole = merged_batteries(shards);
  std::vector<std::string> failing;
  for (const auto& [file, document] : shards) {
    if (document.at("verdict") == "fail") failing.push_back(file);
  }
  const int exit_code = failing.empty() ? holds : broken;
  write_document(outputs.json, "battery", exit_code, whole);
  if (outputs.json == "-") return exit_code;
  const auto& components = whole.at("components");
  fmt::print("{}", counts_text(components, reports::plain(whole.at("kernel").get<std::string>())));
  int64_t failed = 0;
  for (const auto& battery : components) {
    failed += battery.at("failed").get<int64_t>();
    if (battery.contains("first")) print_first(battery);
  }
  const bool by_guards = exit_code == broken && failed == 0;
  fmt::print("{}", by_guards ? fmt::format("FAIL  all cases pass, but guards failed; see key 'guards' of {}\n",
                                           fmt::join(failing, ", "))
                             : verdict_text(components));
  return exit_code;
}

}  // namespace

int finish_merged(std::vector<reports::ShardReport> shards, const RunOptions& options) {
  const int damage = damage_of(shards);
  compare::RunReport whole = reports::merged(std::move(shards));
  return finish(whole, options, damage);
}

int merge(const MergeOptions& options) {
  std::vector<reports::ShardReport> shards;
  Batteries batteries;
  for (const std::string& file : options.files) {
    const auto document = read_report_file(file);
    if (is_battery(document)) {
      check_battery(file, document);
      batteries.emplace_back(file, document);
    } else {
      shards.push_back({file, with_context(file, [&] { return reports::from_json(document); })});
    }
  }
  if (batteries.empty()) return finish_merged(std::move(shards), options.outputs);
  PARITY_CHECK(shards.empty(), usage,
               "{} is a report of parity run, but {} is one of parity battery; merge reports of one command",
               shards.front().file, batteries.front().first);
  return merge_batteries(batteries, options.outputs);
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity merge`: joins the reports of the shards of one run or of one battery.

#include <algorithm>

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

bool is_battery(const nlohmann::json& document) {
  return document.is_object() && document.value("kind", std::string()) == "battery";
}

int merge_batteries(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& shards,
                    const RunOptions& outputs) {
  PARITY_CHECK(outputs.junit.empty() && outputs.markdown.empty() && outputs.manifest.empty(), usage,
               "a battery has no JUnit, Markdown or manifest; use --json, --html or --sarif");
  const nlohmann::ordered_json whole = merged_batteries(shards);
  const bool broken_somewhere = std::any_of(shards.begin(), shards.end(), [](const auto& shard) {
    return shard.second.at("verdict").template get<std::string>() == "fail";
  });
  const int exit_code = broken_somewhere ? broken : holds;
  write_document(outputs.json, "battery", exit_code, whole);
  if (outputs.json == "-") return exit_code;
  const auto& components = whole.at("components");
  fmt::print("{}", counts_text(components, whole.at("kernel").get<std::string>()));
  for (const auto& battery : components) {
    if (battery.contains("first"))
      fmt::print("{}: {}\n  repro: {}\n", battery.at("component").get<std::string>(),
                 reports::plain(battery.at("first").at("reason").get<std::string>()),
                 reports::plain(battery.at("first").at("repro").get<std::string>()));
  }
  fmt::print("{}", verdict_text(components));
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
  std::vector<std::pair<std::string, nlohmann::ordered_json>> batteries;
  for (const std::string& file : options.files) {
    const auto document = read_report_file(file);
    const auto violations = is_battery(document) ? reports::schema_violations(document, reports::study_schema())
                                                 : std::vector<std::string>{};
    PARITY_CHECK(violations.empty(), schema, "{}: {}; write it again", file, reports::plain(violations.front()));
    if (is_battery(document)) batteries.emplace_back(file, document);
    PARITY_CHECK(batteries.empty() || is_battery(document), usage, "{} is of a battery, and {} is not; merge one kind",
                 batteries.front().first, file);
    if (is_battery(document)) continue;
    shards.push_back({file, with_context(file, [&] { return reports::from_json(document); })});
  }
  PARITY_CHECK(batteries.empty() || shards.empty(), usage, "{} is of a run, and {} is not; merge one kind",
               shards.front().file, batteries.front().first);
  if (!batteries.empty()) return merge_batteries(batteries, options.outputs);
  return finish_merged(std::move(shards), options.outputs);
}

}  // namespace parity::cli

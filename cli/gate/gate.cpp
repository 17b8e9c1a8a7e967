// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity gate`: everything that a project asks of its kernels, by one policy file.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/core.h>

#include "cli/gate/gate_policy.hpp"
#include "cli/reports/document.hpp"
#include "cli/reports/report_file.hpp"
#include "cli/runs/sources.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "reports/files/files.hpp"
#include "reports/json/json.hpp"
#include "reports/text/format.hpp"
#include "reports/text/markdown.hpp"
#include "reports/text/page.hpp"
#include "reports/text/sarif.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using nlohmann::ordered_json;

struct GatePart {
  std::string name;
  int code = holds;
  std::string why;   // one line, if it could not run or exceeds a budget
  std::string file;  // its document; empty: none was written
};

/// Runs one part. An error of it ends this part, and the gate goes on.
template <class Body>
GatePart run_part(const std::string& name, const GatePolicy& policy, const std::string& out, const Body& body) {
  GatePart part{name, holds, "", (std::filesystem::path(out) / (name + ".json")).string()};
  fmt::print("== {}\n", policy.commands.at(name));
  std::error_code ignored;
  std::filesystem::remove(part.file, ignored);  // of an earlier gate
  remember_command(policy.commands.at(name));
  try {
    part.code = body(part.file);
  } catch (const Error& error) {
    part.why = error.what();
    part.code = error.code() == ErrorCode::internal      ? internal_error
                : error.code() == ErrorCode::usage       ? usage
                : error.code() == ErrorCode::device      ? device_absent
                : error.code() == ErrorCode::unsupported ? broken
                                                         : golden_damaged;
    complain(fmt::format("{}: {}", name, error.what()));
  } catch (const std::filesystem::filesystem_error& error) {
    part.why = fmt::format("{}: {}", error.path1().string(), error.code().message());
    part.code = golden_damaged;
    complain(fmt::format("{}: {}", name, part.why));
  }
  if (!std::filesystem::exists(part.file, ignored)) part.file.clear();
  return part;
}

/// Returns one line for each component of which a tap uses more of its limit than the policy allows.
std::vector<std::string> over_budget(const compare::RunReport& report, const GatePolicy& policy) {
  std::map<std::string, std::pair<double, std::string>> worst;  // by component: share and tap
  for (const compare::GoldenReport& golden : report.goldens) {
    for (const compare::Record& record : golden.records) {
      auto& [used, tap] = worst[record.component];
      if (record.mode != compare::Mode::isolated || !(record.budget_used > used)) continue;
      used = record.budget_used;
      tap = golden.name + "#" + record.tap;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [component, found] : worst) {
    double most = 1.0;
    for (const auto& [glob, share] : policy.budget) {
      if (glob_match(glob, component)) most = std::min(most, share);
    }
    if (found.first > most && found.first <= 1.0)
      lines.push_back(
          fmt::format("the error of {} is {} of its tolerance, but table [budget] of the policy allows {}: {}",
                      component, reports::percent(found.first), reports::percent(most), found.second));
  }
  return lines;
}

GatePart run_goldens(const GatePolicy& policy, const GateOptions& options) {
  return run_part("run", policy, options.out, [&](const std::string& file) {
    RunOptions run = *policy.run;
    const std::filesystem::path out(options.out);
    run.json = file;
    run.junit = (out / "junit.xml").string();
    run.quiet = options.quiet;
    return cli::run(run);
  });
}

std::vector<GatePart> run_parts(const GatePolicy& policy, const GateOptions& options) {
  std::vector<GatePart> parts;
  if (policy.run) parts.push_back(run_goldens(policy, options));
  const auto other = [&](const char* name, auto part, int (*command)(const decltype(part)&)) {
    parts.push_back(run_part(name, policy, options.out, [&](const std::string& file) {
      part.json = file;
      part.quiet = options.quiet;
      return command(part);
    }));
  };
  if (policy.battery) other("battery", *policy.battery, battery);
  if (policy.relations) other("relations", *policy.relations, relations);
  if (policy.counters) other("counters", *policy.counters, bench);
  return parts;
}

const char* word_of(int code) {
  switch (code) {
    case holds:
      return "holds";
    case broken:
      return "BROKEN";
    case device_absent:
    case nothing_ran:
      return "NOT RUN";
    default:
      return "ERROR";
  }
}

/// Returns the Markdown of the gate: its parts, then the summary of the run. Code hosts show one MiB of it.
std::string summary(const std::vector<GatePart>& parts, const compare::RunReport* report) {
  reports::Table table({"part", "result", "why"}, 3);
  for (const GatePart& part : parts) {
    std::string why = reports::plain(part.why).substr(0, 300);
    std::replace(why.begin(), why.end(), '|', '/');
    table.add({part.name, word_of(part.code), why.empty() ? "-" : why});
  }
  std::string text = report == nullptr ? "" : reports::markdown(*report) + "\n";
  text += "### Gate\n\n";
  for (const std::string& line : table.markdown()) text += line;
  return text;
}

/// Joins the logs of all parts: each is a run of its own in the log of the gate.
std::string sarif_of(const std::vector<ordered_json>& documents, const GatePolicy& policy) {
  const reports::SourceOf source_of = sources(policy.sources);
  ordered_json log = reports::sarif(documents.front(), source_of);
  for (size_t i = 1; i < documents.size(); ++i) {
    for (const ordered_json& found : reports::sarif(documents[i], source_of)["runs"][0]["results"])
      log["runs"][0]["results"].push_back(found);  // one run: hosts count runs of one tool and category as one
  }
  return reports::printable_json(log, 1) + "\n";
}

/// Refuses a folder in which a file of the gate would overwrite what the policy names.
void check_inputs(const GatePolicy& policy, const GateOptions& options) {
  std::vector<std::string> inputs{options.policy};
  if (policy.run) inputs.insert(inputs.end(), {policy.run->manifest, policy.run->accept});
  if (policy.battery) inputs.push_back(policy.battery->binding);
  if (policy.counters) inputs.push_back(policy.counters->baseline);
  std::error_code error;
  for (const char* name : {"run.json", "battery.json", "relations.json", "counters.json", "summary.md", "junit.xml",
                           "report.html", "report.sarif"}) {
    const std::filesystem::path file = std::filesystem::path(options.out) / name;
    for (const std::string& input : inputs) {
      PARITY_CHECK(input.empty() || !std::filesystem::equivalent(file, input, error), usage,
                   "parity gate would overwrite its input {}; move that file, or name another --out-folder", input);
    }
  }
}

void write_all(std::vector<GatePart>& parts, const GatePolicy& policy, const GateOptions& options) {
  const std::filesystem::path out(options.out);
  std::vector<ordered_json> documents;
  std::optional<compare::RunReport> report;
  for (GatePart& part : parts) {
    if (part.file.empty()) continue;
    const nlohmann::json document = read_report_file(part.file);
    if (part.name == "run") {
      report = reports::from_json(document);
      const auto lines = over_budget(*report, policy);
      for (const std::string& line : lines) fmt::print("over budget: {}\n", reports::plain(line));
      if (!lines.empty()) part.why = lines.front();
      if (!lines.empty() && part.code == holds) part.code = broken;
    }
    documents.push_back(part.name == "run" ? reports::to_json(*report) : ordered_json(document));
  }
  reports::write_text_atomically((out / "summary.md").string(), summary(parts, report ? &*report : nullptr));
  if (documents.empty()) return;
  reports::write_text_atomically((out / "report.html").string(), reports::html_page(documents));
  reports::write_text_atomically((out / "report.sarif").string(), sarif_of(documents, policy));
}

}  // namespace

int gate(const GateOptions& options) {
  const GatePolicy policy = read_policy(options.policy);
  if (options.list) {
    for (const auto& [name, command] : policy.commands) fmt::print("{:<10} {}\n", name, command);
    return holds;
  }
  check_inputs(policy, options);
  std::filesystem::create_directories(options.out);
  std::vector<GatePart> parts = run_parts(policy, options);
  write_all(parts, policy, options);
  fmt::print("== gate\n");
  for (const GatePart& part : parts)
    fmt::print("{:<8} {:<10}{}\n", word_of(part.code), part.name,
               part.why.empty() ? "" : "  " + reports::plain(part.why));
  fmt::print("wrote {}/report.html (page), summary.md, junit.xml and report.sarif\n", reports::plain(options.out));
  for (const int code :
       {int{internal_error}, int{usage}, int{golden_damaged}, int{broken}, int{device_absent}, int{nothing_ran}}) {
    if (std::any_of(parts.begin(), parts.end(), [&](const GatePart& part) { return part.code == code; })) return code;
  }
  return holds;
}

}  // namespace parity::cli

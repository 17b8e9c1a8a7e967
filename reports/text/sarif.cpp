// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/sarif.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <vector>

#include <fmt/format.h>

#include "reports/json/json.hpp"
#include "reports/text/format.hpp"

namespace parity::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMost = 1000;  // code hosts show 5000 and read 25000

struct Rule {
  const char* id;
  const char* text;
};
constexpr std::array kRules{
    Rule{"wrong-value", "A value is farther from the exact one than its derived bound allows."},
    Rule{"wrong-choice", "Experts or blocks are chosen that the scores exclude."},
    Rule{"not-shown", "A value was not shown to be right."}, Rule{"kernel-error", "A kernel did not run to its end."},
    Rule{"machine-finding", "A race, a read of unwritten memory, or another misuse of memory."}};

struct Place {
  std::string file;
  int64_t line = 1;
};

struct Result {
  std::string rule, text, name, component;
  Place place;
  bool warning = false;
};

Json json_of(const Result& result) {
  const auto* rule = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& one) { return result.rule == one.id; });
  const Json physical{{"artifactLocation", {{"uri", result.place.file}, {"uriBaseId", "%SRCROOT%"}}},
                      {"region", {{"startLine", result.place.line}}}};
  const Json logical{{{"fullyQualifiedName", result.name}, {"kind", "member"}}};
  return {{"ruleId", result.rule},
          {"ruleIndex", rule - kRules.begin()},
          {"level", result.warning ? "warning" : "error"},
          {"message", {{"text", plain(result.text, true)}}},
          {"locations", {{{"physicalLocation", physical}, {"logicalLocations", logical}}}},
          {"partialFingerprints", {{"parity/1", result.rule + " " + result.name}}}};
}

/// Returns the places that a finding of the machine names: "block (1,0,0) thread (16,0,0), at norm.cu:16 (PTX line 91)".
Place place_in(const std::string& text, const std::string& source) {
  static const std::regex line(R"(\bat ([^\s,:()]+\.[A-Za-z]+):([0-9]{1,9})\b)");
  std::smatch found;
  if (!std::regex_search(text, found, line)) return {source, 1};
  const std::string file = found[1], name = file.substr(file.rfind('/') + 1);
  const bool same = source.size() >= name.size() && source.ends_with(name);  // debug information may lack the folder
  return {same ? source : file, std::max<int64_t>(std::stoll(found[2]), 1)};
}

std::string text_of(const Json& object, const char* name) {
  return object.contains(name) && object.at(name).is_string() ? object.at(name).get<std::string>() : std::string();
}

std::string number_text(const Json& value) {
  return value.is_number() ? number(value.get<double>()) : value.is_string() ? value.get<std::string>() : "";
}

Result result_of(const Json& record, const Json& golden, const SourceOf& source_of) {
  const std::string component = record.at("component"), status = record.at("status"),
                    reason = text_of(record, "reason");
  const std::string source = source_of(text_of(golden, "candidate"), component);
  const std::string tap = record.at("tap"), mode = record.at("mode"), where = text_of(record, "where");
  Result result;
  result.rule = status == "mistrusted"             ? "not-shown"
                : status == "error"                ? "kernel-error"
                : !record.at("discrete").is_null() ? "wrong-choice"
                                                   : "wrong-value";
  result.warning = status == "mistrusted" || !text_of(record, "accepted").empty();
  result.place = place_in(reason, source.empty() ? text_of(golden, "path") : source);
  result.name = fmt::format("{}#{} [{}]", text_of(golden, "name"), tap, mode);
  result.component = component;
  result.text = fmt::format(
      "{} of {}: {} of {} elements beyond the tolerance; the largest error is {} times the tolerance.", component, tap,
      record.at("failed").dump(), record.at("elements").dump(), number_text(record.at("budget_used")));
  if (!where.empty()) result.text += " Where: " + where + ".";
  if (!reason.empty()) result.text += " " + reason;
  const Json& first = golden.at("first_divergence");
  if (!first.is_null() && first.at("tap") == tap && golden.contains("causes")) {
    for (const Json& cause : golden.at("causes")) result.text += " Cause: " + text_of(cause, "text") + ".";
  }
  result.text += " " + text_of(record, "repro");
  return result;
}

/// A tap that fails in a chain only because of its inputs is not a finding of its own.
std::vector<Result> of_run(const Json& document, const SourceOf& source_of) {
  std::vector<Result> results;
  for (const Json& golden : document.at("goldens")) {
    bool isolated = false;
    for (const Json& record : golden.at("records")) {
      const std::string status = record.at("status");
      const bool wrong = status == "fail" || status == "error" || status == "mistrusted";
      if (!wrong || (isolated && record.at("mode") != "isolated")) continue;
      isolated = isolated || record.at("mode") == "isolated";
      results.push_back(result_of(record, golden, source_of));
    }
    const std::string reason = text_of(golden, "reason");
    if (!reason.empty() && golden.at("verdict") != "pass")
      results.push_back({"not-shown", reason, text_of(golden, "path"), "", {text_of(golden, "path"), 1}});
  }
  return results;
}

std::vector<Result> of_battery(const Json& document, const SourceOf& source_of) {
  std::vector<Result> results;
  const std::string kernel = text_of(document, "kernel");
  for (const Json& battery : document.at("components")) {
    if (!battery.contains("first")) continue;
    const Json& first = battery.at("first");
    const std::string component = battery.at("component"), repro = text_of(first, "repro");
    const std::string source = source_of(kernel, component);
    const std::string name = fmt::format("{} {}", kernel, component);
    if (first.contains("findings")) {
      for (const Json& finding : first.at("findings")) {
        std::string text;
        for (const Json& line : finding) text += (text.empty() ? "" : "\n") + line.get<std::string>();
        results.push_back({"machine-finding", text + "\n" + repro, name, component, place_in(text, source)});
      }
      continue;
    }
    const std::string text = fmt::format("{} of {} random cases of {} fail; the first one, reduced, is {}. {} {}",
                                         battery.at("failed").dump(), battery.at("cases").dump(), component,
                                         text_of(first, "case"), text_of(first, "reason"), repro);
    results.push_back({"wrong-value", text, name, component, place_in(text_of(first, "reason"), source)});
  }
  return results;
}

Json rules() {
  Json list = Json::array();
  for (const Rule& rule : kRules) list.push_back({{"id", rule.id}, {"shortDescription", {{"text", rule.text}}}});
  return list;
}

}  // namespace

Json sarif(const Json& document, const SourceOf& source_of) {
  std::vector<Result> found;
  if (text_of(document, "kind") == "battery") found = of_battery(document, source_of);
  if (!document.contains("kind")) found = of_run(document, source_of);
  Json results = Json::array();
  for (size_t i = 0; i < std::min(found.size(), kMost); ++i) {
    if (found[i].place.file.empty()) found[i].place.file = ".";  // code hosts refuse a result without a file
    results.push_back(json_of(found[i]));
  }
  Json invocation{{"executionSuccessful", true}, {"commandLine", text_of(document, "command")}};
  if (found.size() > kMost)
    invocation["toolExecutionNotifications"] = {
        {{"message", {{"text", fmt::format("{} more findings are in report.json", found.size() - kMost)}}}}};
  const Json driver{
      {"name", "parity"}, {"version", text_of(document.at("environment"), "version")}, {"rules", rules()}};
  const Json run{{"tool", {{"driver", driver}}},
                 {"columnKind", "unicodeCodePoints"},
                 {"invocations", {invocation}},
                 {"results", results}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", {run}}};
}

std::string sarif_text(const Json& document, const SourceOf& source_of) {
  return printable_json(sarif(document, source_of), 1) + "\n";
}

}  // namespace parity::reports

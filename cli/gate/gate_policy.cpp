// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/gate/gate_policy.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>

#include <fmt/format.h>
#include <glob.h>
#include <toml++/toml.h>

#include "cli/gate/policy_text.hpp"
#include "core/error.hpp"
#include "core/shell.hpp"
#include "core/text.hpp"
#include "golden/files/mapped_file.hpp"

namespace parity::cli {
namespace {

using Words = std::vector<std::string>;

/// One table of the policy. Keys are read once, by name and type; what is left is not known.
class Section {
 public:
  Section(std::string path, const toml::table& table, std::string name)
      : path_(std::move(path)), table_(table), name_(std::move(name)) {}

  void read(const char* key, std::string& value) {
    if (const auto* node = find(key)) value = needed(node->value<std::string>(), key, "a text");
    option(key, value);
  }
  void read(const char* key, int64_t& value) {
    const auto* node = find(key);
    if (node == nullptr) return;
    value = needed(node->is_integer() ? node->value<int64_t>() : std::nullopt, key, "a whole number");
    option(key, std::to_string(value));
  }
  void read(const char* key, Words& values) {
    const auto* node = find(key);
    if (node == nullptr) return;
    PARITY_CHECK(node->is_array(), schema, "{}: {}.{} is not a list of strings; write [\"…\"]", place(*node), name_,
                 key);
    for (const toml::node& each : *node->as_array())
      values.push_back(needed(each.value<std::string>(), key, "a list of strings"));
    for (const std::string& value : values) option(key, value);
  }
  /// Refuses what none of the calls before has read.
  void done() const {
    for (const auto& [key, node] : table_) {
      const std::string name{key.str()};
      PARITY_CHECK(std::find(known_.begin(), known_.end(), name) != known_.end(), schema,
                   "{}: table [{}] cannot have the key '{}'{}; docs/ci.md lists the keys", place(node), name_, name,
                   did_you_mean(name, known_));
    }
  }
  /// The options as words of a command line; names are those of the keys.
  [[nodiscard]] const Words& words() const { return words_; }

 private:
  [[nodiscard]] std::string place(const toml::node& node) const {
    return fmt::format("{}:{}", path_, node.source().begin.line);
  }
  const toml::node* find(const char* key) {
    known_.emplace_back(key);
    return table_.get(key);
  }
  template <class T>
  T needed(const std::optional<T>& value, const char* key, const char* kind) const {
    PARITY_CHECK(value.has_value(), schema, "{}: {}.{} is not {}", place(*table_.get(key)), name_, key, kind);
    return *value;
  }
  void option(const std::string& key, const std::string& value) {
    if (value.empty() || table_.get(key) == nullptr) return;
    const bool positional = key == "goldens" || key == "components" || (key == "select" && name_ == "counters");
    if (positional) {
      words_.push_back(value);
    } else {
      words_.insert(words_.end(), {"--" + key, value});
    }
  }

  std::string path_;
  const toml::table& table_;
  std::string name_;
  Words known_, words_;
};

/// Returns the paths that the patterns match, sorted. A pattern that matches nothing stays, and the run names it.
Words expanded(const Words& patterns) {
  Words paths;
  for (const std::string& pattern : patterns) {
    glob_t found{};
    if (::glob(pattern.c_str(), GLOB_MARK | GLOB_NOCHECK, nullptr, &found) == 0)
      paths.insert(paths.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
  }
  return paths;
}

void read_run(Section section, GatePolicy& policy) {
  RunOptions run;
  Words patterns;
  section.read("candidate", run.candidate);
  section.read("goldens", patterns);
  for (auto [key, value] : {std::pair{"mode", &run.mode},
                            {"policy", &run.policy},
                            {"select", &run.select},
                            {"profile", &run.profile},
                            {"manifest", &run.manifest},
                            {"accept", &run.accept},
                            {"inputs", &run.inputs},
                            {"rules", &run.layout.rules}})
    section.read(key, *value);
  section.read("require", run.required);
  for (auto [key, ranks] :
       {std::pair{"tp", &run.layout.tp}, {"ep", &run.layout.ep}, {"cp", &run.layout.cp}, {"dp", &run.layout.dp}}) {
    int64_t count = *ranks;
    section.read(key, count);
    PARITY_CHECK(count >= 1 && count <= 64, usage, "run.{} is {}; use 1 to 64 ranks", key, count);
    *ranks = static_cast<std::remove_reference_t<decltype(*ranks)>>(count);
  }
  section.done();
  run.goldens = std::move(patterns);
  policy.commands["run"] = "parity run " + shell_line(section.words());
  run.command_line = run.whole_command = policy.commands["run"];
  policy.run = std::move(run);
}

void read_battery(Section section, GatePolicy& policy) {
  BatteryOptions battery;
  section.read("components", battery.components);
  section.read("kernel", battery.kernel);
  section.read("binding", battery.binding);
  section.read("cases", battery.cases);
  section.read("lanes", battery.lanes);
  section.done();
  policy.commands["battery"] = "parity battery " + shell_line(section.words());
  policy.battery = std::move(battery);
}

void read_relations(Section section, GatePolicy& policy) {
  RelationsOptions relations;
  section.read("candidate", relations.candidate);
  section.done();
  policy.commands["relations"] = "parity relations " + shell_line(section.words());
  policy.relations = std::move(relations);
}

void read_counters(Section section, GatePolicy& policy) {
  BenchOptions counters;
  counters.counters = true;
  counters.seed = 1;
  int64_t sample = 0;
  section.read("select", counters.select);
  section.read("baseline", counters.baseline);
  section.read("gpu", counters.gpu);
  section.read("sample", sample);
  PARITY_CHECK(sample >= 0 && sample <= 1 << 20, usage,
               "counters.sample is {}; use a number of thread blocks, 0 (all) to 1048576", sample);
  counters.sample = static_cast<uint32_t>(sample);
  section.done();
  policy.commands["counters"] = "parity bench --counters " + shell_line(section.words());
  policy.counters = std::move(counters);
}

/// Reads what is written as `component = value` or `"glob" = value`.
void read_lists(const std::string& path, const toml::table& document, GatePolicy& policy) {
  const auto place = [&](const toml::node& node) { return fmt::format("{}:{}", path, node.source().begin.line); };
  if (const toml::table* budget = document.get_as<toml::table>("budget")) {
    for (const auto& [key, node] : *budget) {
      const auto share = node.value<double>();
      PARITY_CHECK(share && *share > 0.0 && *share <= 1.0, schema,
                   "{}: budget.{} is not a number above 0 and up to 1; 1 allows the whole tolerance", place(node),
                   key.str());
      policy.budget.emplace_back(key.str(), *share);
    }
  }
  if (const toml::table* sources = document.get_as<toml::table>("sources")) {
    for (const auto& [key, node] : *sources) {
      const auto file = node.value<std::string>();
      PARITY_CHECK(file.has_value(), schema,
                   "{}: sources.{} is not a string; write the name of the component's source file", place(node),
                   key.str());
      policy.sources.push_back(fmt::format("{}={}", std::string(key.str()), *file));
    }
  }
}

toml::table parsed(std::string_view text, const std::string& path) {
  constexpr size_t kMost = size_t{1} << 20U;
  PARITY_CHECK(text.size() <= kMost, schema, "{}: the policy has {} bytes; at most 1 MiB is allowed", path,
               text.size());
  with_context(path, [&] { check_policy_text(text); });
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::schema, fmt::format("{}:{}: {}; the file is not valid TOML", path, error.source().begin.line,
                                               error.description()));
  }
}

}  // namespace

GatePolicy read_policy(const std::string& path) {
  PARITY_CHECK(std::filesystem::is_regular_file(path), not_found,
               "there is no policy file {}; write one (docs/ci.md), or name one with --policy", path);
  const golden::MappedFile file(path);
  GatePolicy policy = parse_policy({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, path);
  if (policy.run) policy.run->goldens = expanded(policy.run->goldens);
  return policy;
}

GatePolicy parse_policy(std::string_view text, const std::string& path) {
  const toml::table document = parsed(text, path);
  GatePolicy policy;
  const std::vector<std::pair<std::string, std::function<void(Section, GatePolicy&)>>> parts{
      {"run", read_run}, {"battery", read_battery}, {"relations", read_relations}, {"counters", read_counters}};
  Words known{"budget", "sources"};
  for (const auto& [name, read] : parts) {
    known.push_back(name);
    if (const toml::table* table = document.get_as<toml::table>(name)) read({path, *table, name}, policy);
  }
  for (const auto& [key, node] : document) {
    const std::string name{key.str()};
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    PARITY_CHECK(is_known && node.is_table(), schema,
                 "{}:{}: a policy has no table [{}]{}; docs/ci.md lists the tables", path, node.source().begin.line,
                 name, did_you_mean(name, known));
  }
  read_lists(path, document, policy);
  PARITY_CHECK(!policy.commands.empty(), usage,
               "policy {} lists nothing to run; add a table [run] with the key goldens", path);
  PARITY_CHECK(!policy.run || !policy.run->goldens.empty(), usage,
               "{}: table [run] lists no goldens; add goldens = [\"…\"]", path);
  PARITY_CHECK(policy.budget.empty() || policy.run, usage,
               "{}: table [budget] limits the errors of table [run]; add [run]", path);
  return policy;
}

}  // namespace parity::cli

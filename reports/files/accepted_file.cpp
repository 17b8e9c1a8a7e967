// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/files/accepted_file.hpp"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "golden/files/strict_json.hpp"
#include "reports/text/format.hpp"

namespace parity::reports {
namespace {

using Json = nlohmann::ordered_json;

/// Whether the text is a calendar day in the form YYYY-MM-DD.
bool is_date(const std::string& text) {
  constexpr size_t kLength = 10;
  if (text.size() != kLength || text[4] != '-' || text[7] != '-') return false;
  if (std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) != 8) return false;
  const auto year = std::chrono::year(std::stoi(text.substr(0, 4)));
  const auto month = std::chrono::month(static_cast<unsigned>(std::stoi(text.substr(5, 2))));
  return (year / month / static_cast<int>(std::stoi(text.substr(8, 2)))).ok();
}

compare::Accepted entry_of(const nlohmann::json& json, const std::string& place) {
  PARITY_CHECK(json.is_object(), schema,
               "{} is not an object; an entry is {{\"tap\", \"fault\" or \"factor\", \"reason\", \"date\"}}", place);
  const std::vector<std::string> known{"tap", "fault", "factor", "reason", "date"};
  for (const auto& [key, value] : json.items()) {
    PARITY_CHECK(std::find(known.begin(), known.end(), key) != known.end(), schema, "{}: unknown key '{}'{}", place,
                 plain(key), did_you_mean(key, known));
    PARITY_CHECK(key == "factor" ? value.is_number() : value.is_string(), schema, "{}/{} is not a valid {}", place, key,
                 key == "factor" ? "number" : "text");
  }
  compare::Accepted entry{json.value("tap", ""), json.value("fault", ""), json.value("factor", 0.0),
                          json.value("reason", ""), json.value("date", "")};
  PARITY_CHECK(!entry.tap.empty() && !entry.reason.empty() && is_date(entry.date), schema,
               "{} needs the keys tap (a glob), reason, and date (YYYY-MM-DD)", place);
  PARITY_CHECK(entry.fault.empty() != (entry.factor == 0.0) && entry.factor >= 0.0, schema,
               "{} needs exactly one of the keys fault and factor", place);
  return entry;
}

}  // namespace

std::vector<compare::Accepted> read_accepted(const std::filesystem::path& path) {
  PARITY_CHECK(std::filesystem::exists(path), not_found,
               "{}: no such file; write it with entries that a failing parity run prints", path.string());
  const auto document = golden::read_json(path);
  PARITY_CHECK(document.is_array(), schema, "{}: expected a list of entries", path.string());
  std::vector<compare::Accepted> entries;
  for (const auto& json : document)
    entries.push_back(entry_of(json, fmt::format("{}: /{}", path.string(), entries.size())));
  return entries;
}

std::string accepted_text(const std::vector<compare::Accepted>& entries) {
  std::string text;
  for (const compare::Accepted& entry : entries) {
    Json json{{"tap", entry.tap}};
    if (entry.fault.empty()) json["factor"] = entry.factor;
    if (!entry.fault.empty()) json["fault"] = entry.fault;
    json["reason"] = entry.reason;
    json["date"] = entry.date;
    text += (text.empty() ? "[" : ",\n ") + json.dump();
  }
  return text.empty() ? "[]\n" : text + "]\n";
}

}  // namespace parity::reports

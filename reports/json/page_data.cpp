// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/json/page_data.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

namespace parity::reports {
namespace {

using nlohmann::ordered_json;

/// Whose details are kept, and what the page says of the others. The first that fits is taken.
enum class Kept : uint8_t { all, not_plain, not_green, no_pictures, none };
constexpr std::array kLeftOut{"", "details of taps that pass", "details of taps that pass or round differently",
                              "details of taps that pass, and pictures", "details of all taps"};

/// Names in the order of their first use, each with its number.
class Names {
 public:
  int64_t number(const std::string& name) {
    const auto [at, fresh] = numbers_.try_emplace(name, static_cast<int64_t>(numbers_.size()));
    if (fresh) list_.push_back(name);
    return at->second;
  }
  [[nodiscard]] const ordered_json& list() const { return list_; }

 private:
  std::map<std::string, int64_t> numbers_;
  ordered_json list_ = ordered_json::array();
};

/// Four digits are what a table shows. "Infinity" and "NaN" stay.
ordered_json short_number(const ordered_json& value) {
  if (!value.is_number_float()) return value;
  return std::strtod(fmt::format("{:.4g}", value.get<double>()).c_str(), nullptr);
}

bool keeps(Kept kept, const ordered_json& record) {
  const bool green = record.at("status") == "pass";
  const ordered_json& choice = record.at("discrete");
  const bool flips = !choice.is_null() && choice.at("flips") != 0;
  switch (kept) {
    case Kept::all:
      return true;
    case Kept::not_plain:
      return !green || flips || !record.at("deviation").is_null();
    case Kept::not_green:
    case Kept::no_pictures:
      return !green;
    case Kept::none:
      return false;
  }
  return false;
}

ordered_json row_of(const ordered_json& record, Names& taps, Names& components) {
  const ordered_json& choice = record.at("discrete");
  return {taps.number(record.at("tap")),
          components.number(record.at("component")),
          record.at("mode"),
          record.at("status"),
          record.at("layer"),
          record.at("elements"),
          record.at("failed"),
          short_number(record.at("budget_used")),
          short_number(record.at("relative_error")),
          record.at("bit_equal").at("equal"),
          choice.is_null() ? ordered_json(0) : choice.at("flips")};
}

ordered_json detail_of(ordered_json record, Kept kept) {
  for (const char* name : {"tap", "component", "mode", "status", "layer", "elements", "failed", "budget_used"})
    record.erase(name);
  if (kept == Kept::no_pictures) record.erase("picture");
  if (!record.contains("picture")) return record;
  for (ordered_json& cell : record["picture"]["map"]["budget"]) cell = short_number(cell);
  return record;
}

ordered_json short_golden(ordered_json golden, Kept kept) {
  Names taps, components;
  ordered_json rows = ordered_json::array(), details = ordered_json::object();
  for (const ordered_json& record : golden.at("records")) {
    if (keeps(kept, record)) details[std::to_string(rows.size())] = detail_of(record, kept);
    rows.push_back(row_of(record, taps, components));
  }
  golden.erase("records");
  golden["taps_judged"] = golden.at("taps").at("judged");
  golden["taps"] = taps.list();
  golden["components"] = components.list();
  golden["rows"] = std::move(rows);
  golden["details"] = std::move(details);
  return golden;
}

ordered_json short_documents(const std::vector<ordered_json>& documents, Kept kept) {
  ordered_json list = ordered_json::array();
  for (const ordered_json& document : documents) {
    ordered_json copy = document;
    if (copy.contains("goldens") && copy["goldens"].is_array() && !copy.contains("kind")) {
      for (ordered_json& golden : copy["goldens"]) golden = short_golden(golden, kept);
    }
    list.push_back(std::move(copy));
  }
  return {{"left_out", kLeftOut.at(static_cast<size_t>(kept))}, {"documents", std::move(list)}};
}

}  // namespace

ordered_json page_data(const std::vector<ordered_json>& documents, size_t longest) {
  for (const Kept kept : {Kept::all, Kept::not_plain, Kept::not_green, Kept::no_pictures}) {
    ordered_json data = short_documents(documents, kept);
    if (data.dump(-1, ' ', false, ordered_json::error_handler_t::replace).size() <= longest) return data;
  }
  return short_documents(documents, Kept::none);
}

}  // namespace parity::reports

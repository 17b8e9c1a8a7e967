// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Joins the documents of `parity battery --shard`.

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "cli/battery/battery_parts.hpp"
#include "core/error.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using Named = std::pair<std::string, Json>;

/// The facts in which shards of one battery agree.
std::map<std::string, std::string> facts_of(const Json& document) {
  std::map<std::string, std::string> facts{{"command", document.at("shard").at("command").get<std::string>()},
                                           {"number of shards", document.at("shard").at("of").dump()}};
  for (const char* name : {"version", "build_type", "compiler", "flags"})
    facts[name] = document.at("environment").at(name).get<std::string>();
  return facts;
}

void require_same(const Named& one, const Named& other) {
  const auto theirs = facts_of(other.second);
  for (const auto& [name, value] : facts_of(one.second))
    PARITY_CHECK(
        theirs.at(name) == value, usage,
        "{} and {} are shards of different runs: {} is '{}' in the first, '{}' in the second; merge shards of one run",
        one.first, other.first, name, reports::plain(value), reports::plain(theirs.at(name)));
}

void require_all(const std::vector<Named>& shards) {
  std::map<int64_t, std::string> files;
  for (const Named& each : shards) {
    PARITY_CHECK(each.second.contains("shard"), usage,
                 "{} is the report of a whole battery, not of a shard; merge reports of parity battery --shard",
                 each.first);
    require_same(shards.front(), each);
    const auto index = each.second.at("shard").at("index").get<int64_t>();
    const auto [known, fresh] = files.emplace(index, each.first);
    PARITY_CHECK(fresh, usage, "{} and {} are both shard {}; give each shard once", known->second, each.first, index);
  }
  const auto count = shards.front().second.at("shard").at("of").get<int64_t>();
  PARITY_CHECK(files.rbegin()->first <= count, usage,
               "{} states that it is shard {} of {}, which is impossible; run this shard again", files.rbegin()->second,
               files.rbegin()->first, count);
  for (int64_t index = 1; index <= count; ++index)
    PARITY_CHECK(files.contains(index), usage, "shard {}/{} is missing; give the reports of all {} shards", index,
                 count, count);
}

/// Adds the counts of `more`, and its first failure where `whole` has none.
void add(Json& whole, const Json& more) {
  for (const auto& [name, value] : more.items()) {
    if (value.is_number_integer()) whole[name] = whole.value(name, int64_t{0}) + value.get<int64_t>();
    if (value.is_object() && name.ends_with("_in")) {
      if (!whole.contains(name)) whole[name] = Json::object();
      add(whole[name], value);
    }
    if (value.is_string() || (name == "first" && !whole.contains(name))) whole[name] = value;
  }
}

}  // namespace

Json merged_batteries(std::vector<Named> shards) {
  require_all(shards);
  const auto index = [](const Named& each) { return each.second.at("shard").at("index").get<int64_t>(); };
  std::sort(shards.begin(), shards.end(), [&](const Named& a, const Named& b) { return index(a) < index(b); });
  const Json& first = shards.front().second;
  Json whole{{"kernel", first.at("kernel")}, {"components", Json::array()}};
  std::map<std::string, size_t> places;
  for (const auto& [file, document] : shards) {
    for (const Json& battery : document.at("components")) {
      const auto name = battery.at("component").get<std::string>();
      const auto [place, fresh] = places.emplace(name, whole["components"].size());
      if (fresh) whole["components"].push_back(Json::object());
      add(whole["components"][place->second], battery);
    }
  }
  PARITY_CHECK(!places.empty(), usage, "no shard ran a case; run parity battery without --shard to read the reason");
  for (const auto& [file, document] : shards) {  // each shard without a failed case checked them
    const bool fails = document.at("verdict") == "fail";
    if (document.contains("guards") && (!whole.contains("guards") || fails)) whole["guards"] = document.at("guards");
  }
  return whole;
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reads the table of tiles.

#include "cases/tiles.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cases/tiles_files.hpp"  // generated: the text of cases/tiles.json
#include "core/json_keys.hpp"

namespace parity::cases {
namespace {

using Json = nlohmann::json;

struct Table {
  std::vector<Tile> tiles;
  std::map<std::string, std::string> sources, without;
};

char letter_of(const std::string& text) {
  PARITY_CHECK(text.size() == 1, schema, "cases/tiles.json: '{}' is not an axis of the component", text);
  return text.front();
}

AxisSizes sizes_of(const Json& row, const char* key) {
  AxisSizes sizes;
  if (!row.contains(key)) return sizes;
  for (const auto& [letter, extent] : row.at(key).items()) sizes[letter_of(letter)] = extent.get<int64_t>();
  return sizes;
}

void add_rows(const Json& row, Table& table) {
  require_keys(row, {"components", "axis", "crossed", "exactly", "with", "beside", "of"}, "cases/tiles.json");
  for (const std::string key : {"crossed", "exactly"}) {
    for (const Json& extent : row.value(key, Json::array())) {
      for (const Json& component : row.at("components")) {
        table.tiles.push_back({component, letter_of(row.at("axis")), extent, key == "exactly", sizes_of(row, "with"),
                               sizes_of(row, "beside"), row.at("of").get<std::vector<std::string>>()});
      }
    }
  }
}

Table read_table() {
  const Json json = Json::parse(kTilesFiles.front().second);
  Table table;
  for (const Json& row : json.at("tiles")) add_rows(row, table);
  table.sources = json.at("sources").get<std::map<std::string, std::string>>();
  for (const Json& row : json.at("without")) {
    for (const Json& component : row.at("components")) table.without[component] = row.at("why");
  }
  return table;
}

const Table& table() {
  static const Table instance = read_table();
  return instance;
}

}  // namespace

std::string Tile::text() const {
  std::string result = fmt::format("{} {} {}", axis, exactly ? '=' : '>', extent);
  for (const auto& [letter, size] : with) result += fmt::format(", {} = {}", letter, size);
  return result;
}

const std::vector<Tile>& tiles() { return table().tiles; }

const std::map<std::string, std::string>& tile_sources() { return table().sources; }

const std::map<std::string, std::string>& without_tiles() { return table().without; }

bool crosses(const Tile& tile, const AxisSizes& extents) {
  const auto is = [&](const auto& wanted) {
    const auto found = extents.find(wanted.first);
    return found != extents.end() && found->second == wanted.second;
  };
  const auto found = extents.find(tile.axis);
  if (found == extents.end() || !std::all_of(tile.with.begin(), tile.with.end(), is)) return false;
  return tile.exactly ? found->second == tile.extent : found->second > tile.extent && found->second % tile.extent != 0;
}

}  // namespace parity::cases

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/counters/counters_json.hpp"

#include "core/error.hpp"

namespace parity::reports {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Names and places of counts, once: the writer and the reader both walk these lists.
template <class Count, class Each>
void fields_of_sectors(Count& count, const Each& each) {
  each("requests", count.requests);
  each("coalesced", count.coalesced);
  each("sectors", count.sectors);
  each("least_sectors", count.least);
  each("bytes", count.bytes);
}

template <class Count, class Each>
void fields_of_wavefronts(Count& count, const Each& each) {
  each("requests", count.requests);
  each("wavefronts", count.wavefronts);
  each("least_wavefronts", count.least);
}

template <class Count, class Each>
void fields_of_instructions(Count& cost, const Each& each) {
  each("instructions", cost.instructions);
  each("lanes", cost.lanes);
  each("barriers", cost.barriers);
}

ordered_json sectors_json(const ptx::SectorCount& count) {
  ordered_json object;
  fields_of_sectors(count, [&](const char* name, uint64_t value) { object[name] = value; });
  return object;
}

ordered_json line_json(const ptx::LineCost& line) {
  ordered_json object{{"function", line.function}, {"ptx_line", line.position.ptx_line}};
  if (line.position.line != 0) {
    object["file"] = line.position.file;
    object["line"] = line.position.line;
  }
  object["opcode"] = line.opcode;
  object["kind"] = ptx::to_string(line.kind);
  object.update(to_json(line.cost));
  return object;
}

/// A value of the document, and where it stands.
class Node {
 public:
  Node(const json& value, std::string place) : value_(value), place_(std::move(place)) {}

  [[nodiscard]] bool has(const std::string& key) const { return value_.is_object() && value_.contains(key); }
  [[nodiscard]] Node operator[](const std::string& key) const {
    PARITY_CHECK(has(key), schema, "{}/{} is missing; write the file with parity bench --counters", place_, key);
    return {value_.at(key), place_ + "/" + key};
  }
  [[nodiscard]] uint64_t count() const {
    PARITY_CHECK(value_.is_number_unsigned(), schema, "{}: a whole number of 0 or more is expected", place_);
    return value_.get<uint64_t>();
  }
  [[nodiscard]] uint32_t number() const {
    PARITY_CHECK(count() <= ~uint32_t{0}, schema, "{}: a number below 2^32 is expected", place_);
    return static_cast<uint32_t>(count());
  }
  [[nodiscard]] std::string text() const {
    PARITY_CHECK(value_.is_string(), schema, "{}: a string is expected", place_);
    return value_.get<std::string>();
  }
  template <class Each>
  void items(const Each& each) const {
    PARITY_CHECK(value_.is_array(), schema, "{}: a list is expected", place_);
    for (size_t i = 0; i < value_.size(); ++i) each(Node(value_[i], place_ + "/" + std::to_string(i)));
  }
  template <class Each>
  void members(const Each& each) const {
    PARITY_CHECK(value_.is_object(), schema, "{}: an object is expected", place_);
    for (const auto& [key, value] : value_.items()) each(key, Node(value, place_ + "/" + key));
  }
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  const json& value_;
  std::string place_;
};

ptx::SectorCount sectors_from(const Node& node) {
  ptx::SectorCount count;
  fields_of_sectors(count, [&](const char* name, uint64_t& value) { value = node[name].count(); });
  PARITY_CHECK(count.coalesced <= count.requests, schema, "{}: there are more coalesced requests than requests",
               node.place());
  return count;
}

ptx::Cost cost_from(const Node& node) {
  ptx::Cost cost;
  fields_of_instructions(cost, [&](const char* name, uint64_t& value) { value = node[name].count(); });
  for (size_t i = 0; node.has("global") && i < ptx::kTraffics; ++i) {
    const char* name = to_string(static_cast<ptx::Traffic>(i));
    if (node["global"].has(name)) cost.global.at(i) = sectors_from(node["global"][name]);
  }
  if (node.has("local")) cost.local = sectors_from(node["local"]);
  if (node.has("shared")) {
    fields_of_wavefronts(cost.shared, [&](const char* name, uint64_t& value) { value = node["shared"][name].count(); });
    PARITY_CHECK(cost.shared.least <= cost.shared.wavefronts, schema,
                 "{}/shared: fewer wavefronts than the stated least number", node.place());
  }
  if (node.has("multiply_adds")) {
    node["multiply_adds"].members(
        [&](const std::string& shape, const Node& count) { cost.multiply_adds[shape] = count.count(); });
  }
  return cost;
}

ptx::Kind kind_from(const Node& node) {
  const std::string name = node.text();
  for (size_t i = 0; i < static_cast<size_t>(ptx::Kind::count); ++i) {
    if (name == ptx::to_string(static_cast<ptx::Kind>(i))) return static_cast<ptx::Kind>(i);
  }
  throw Error(ErrorCode::schema, fmt::format("{}: '{}' is not a kind of instruction", node.place(), name));
}

ptx::LineCost line_from(const Node& node) {
  ptx::LineCost line;
  line.function = node["function"].text();
  line.position.ptx_line = node["ptx_line"].number();
  if (node.has("line")) {
    line.position.file = node["file"].text();
    line.position.line = node["line"].number();
  }
  line.opcode = node["opcode"].text();
  line.kind = kind_from(node["kind"]);
  line.cost = cost_from(node);
  return line;
}

}  // namespace

ordered_json to_json(const ptx::Cost& cost) {
  ordered_json object;
  fields_of_instructions(cost, [&](const char* name, uint64_t value) { object[name] = value; });
  for (size_t i = 0; i < ptx::kTraffics; ++i) {
    const ptx::SectorCount& count = cost.global.at(i);
    if (count.requests != 0) object["global"][to_string(static_cast<ptx::Traffic>(i))] = sectors_json(count);
  }
  if (cost.local.requests != 0) object["local"] = sectors_json(cost.local);
  if (cost.shared.requests != 0) {
    ordered_json& shared = object["shared"];
    fields_of_wavefronts(cost.shared, [&](const char* name, uint64_t value) { shared[name] = value; });
    shared["conflicts"] = cost.shared.conflicts();
  }
  for (const auto& [shape, count] : cost.multiply_adds) object["multiply_adds"][shape] = count;
  return object;
}

ordered_json to_json(const ptx::Counters& counters) {
  ordered_json body{{"kernel", counters.kernel}, {"blocks", counters.blocks}};
  if (!counters.run.empty()) body["blocks_run"] = counters.run;
  body["total"] = to_json(counters.total());
  if (counters.unique) {
    ordered_json& unique = body["unique_bytes"];
    unique = {{"read", counters.unique->read}, {"written", counters.unique->written}};
    for (size_t i = 0; i < ptx::kTraffics; ++i) {
      const uint64_t bytes = counters.unique->by_traffic.at(i);
      if (bytes != 0) unique["by_traffic"][to_string(static_cast<ptx::Traffic>(i))] = bytes;
    }
  }
  body["lines"] = ordered_json::array();
  for (const ptx::LineCost& line : counters.lines) body["lines"].push_back(line_json(line));
  return body;
}

ptx::Counters counters_from_json(const json& document, const std::string& place) {
  const Node root(document, place);
  ptx::Counters counters;
  counters.kernel = root["kernel"].text();
  counters.blocks = root["blocks"].count();
  if (root.has("blocks_run")) root["blocks_run"].items([&](const Node& n) { counters.run.push_back(n.number()); });
  if (root.has("unique_bytes")) {
    const Node unique = root["unique_bytes"];
    counters.unique = ptx::UniqueBytes{{}, unique["read"].count(), unique["written"].count()};
    for (size_t i = 0; unique.has("by_traffic") && i < ptx::kTraffics; ++i) {
      const char* name = to_string(static_cast<ptx::Traffic>(i));
      if (unique["by_traffic"].has(name)) counters.unique->by_traffic.at(i) = unique["by_traffic"][name].count();
    }
  }
  root["lines"].items([&](const Node& node) { counters.lines.push_back(line_from(node)); });
  return counters;
}

}  // namespace parity::reports

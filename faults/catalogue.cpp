// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/catalogue.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "core/json_keys.hpp"
#include "core/text.hpp"
#include "faults/catalogue_files.hpp"
#include "faults/edits/edit_names.hpp"
#include "faults/edits/rank_edits.hpp"

namespace parity::faults {
namespace {

using Json = nlohmann::json;

DType dtype_named(const std::string& name) {
  const auto dtype = parse_dtype(name);
  PARITY_CHECK(dtype.has_value(), schema, "'{}' is not an element type; use f64, f32, f16, bf16, e4m3fn or e5m2", name);
  return *dtype;
}

/// Returns the number or text under `key` as an expression.
std::string expression_of(const Json& json, const char* key, const std::string& fallback) {
  if (!json.contains(key)) return fallback;
  return json.at(key).is_string() ? json.at(key).get<std::string>() : json.at(key).dump();
}

TensorMap map_of(const Json& json) {
  require_keys(json, {"kind", "number", "dtype", "axis", "by", "first", "count", "every", "from_fresh"});
  TensorMap map;
  map.kind = tensor_map_kind(json.at("kind"));
  map.number = expression_of(json, "number", map.number);
  map.dtype = dtype_named(json.value("dtype", "bf16"));
  map.axis = json.value("axis", "");
  map.by = json.value("by", map.by);
  map.first = expression_of(json, "first", map.first);
  map.count = json.value("count", map.count);
  map.every = json.value("every", map.every);
  map.from_fresh = json.value("from_fresh", false);
  require_counts(map, ErrorCode::schema, json.dump());
  return map;
}

ParamValue param_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<int64_t>();
  PARITY_CHECK(json.is_number(), schema, "parameter value {} is not a number", json.dump());
  return json.get<double>();
}

Edit weight_edit(const Json& json) {
  require_keys(json, {"weight", "from", "to", "next", "map"});
  MapWeight edit{json.at("weight"), json.value("from", ""), json.value("to", ""), json.value("next", ""), {}};
  if (json.contains("map")) {
    edit.map = map_of(json.at("map"));
  } else {
    PARITY_CHECK(!edit.from.empty() || !edit.next.empty(), schema, "weight edit {} changes nothing", json.dump());
  }
  return edit;
}

/// Reads an error of a division among ranks: {"take": "parts", "of": "others", "from": "{peer}"}.
bool add_rank_edit(const Json& json, std::vector<Edit>& edits) {
  for (const RankEdit::Kind kind : rank_edit_kinds()) {
    const char* name = kind_name(kind);
    if (!json.contains(name)) continue;
    require_keys(json, {name, "of", "from"});
    RankEdit edit{kind, json.at(name), json.value("of", ""), expression_of(json, "from", "")};
    if (kind == RankEdit::Kind::message) std::swap(edit.what, edit.value);  // how it arrives, from rank `of`
    PARITY_CHECK(!edit.value.empty(), schema, "edit {} has no 'from'", json.dump());
    edits.emplace_back(edit);
    return true;
  }
  return false;
}

void add_edits(const Json& json, std::vector<Edit>& edits) {
  if (add_rank_edit(json, edits)) return;
  if (json.contains("weight")) {
    edits.push_back(weight_edit(json));
    return;
  }
  require_keys(json, {"set", "times", "rewire", "swap", "replace", "input", "of", "output", "map", "round"});
  if (json.contains("replace")) edits.emplace_back(ReplaceComponent{json.at("replace")});  // may set parameters
  if (json.contains("swap")) edits.emplace_back(SwapInputs{json.at("swap").at(0), json.at("swap").at(1)});
  const auto each = [&](const char* key, const auto& add) {
    if (!json.contains(key)) return;
    for (const auto& [name, value] : json.at(key).items()) add(name, value);
  };
  each("set", [&](const auto& name, const Json& value) {
    const bool text = value.is_string();
    edits.emplace_back(
        SetParam{name, text ? ParamValue(0.0) : param_of(value), false, text ? std::string(value) : std::string()});
  });
  each("times", [&](const auto& name, const Json& value) {
    edits.emplace_back(SetParam{name, param_of(value), true, {}});
  });
  each("rewire", [&](const auto& field, const Json& tap) { edits.emplace_back(Rewire{field, tap}); });
  each("round", [&](const auto& point, const Json& name) {
    edits.emplace_back(SetRounding{point, precision_named(name)});
  });
  if (json.contains("input"))
    edits.emplace_back(MapInput{json.at("input"), map_of(json.at("map")), json.value("of", "")});
  if (json.contains("output")) edits.emplace_back(MapOutput{json.at("output"), map_of(json.at("map"))});
}

Fault fault_of(const Json& json) {
  require_keys(json, {"id", "title", "component", "at", "later_calls_only", "systems", "edits", "seen", "equivalent",
                      "by_relations", "layouts"});
  Fault fault;
  fault.id = json.at("id");
  fault.title = json.at("title");
  fault.component = json.at("component");
  fault.at = json.value("at", fault.at);
  fault.later_calls_only = json.value("later_calls_only", false);
  fault.systems = json.value("systems", fault.systems);
  fault.seen = json.value("seen", fault.seen);
  for (const std::string& seen : fault.seen)
    PARITY_CHECK(seen.starts_with("https://"), schema,
                 "'{}' in 'seen' is not a URL of software that had this bug; write https://…", seen);
  fault.by_relations = json.value("by_relations", false);
  fault.equivalent = json.value("equivalent", "");
  fault.layouts = json.value("layouts", fault.layouts);
  for (const Json& edit : json.at("edits")) add_edits(edit, fault.edits);
  PARITY_CHECK(!fault.edits.empty(), schema, "the list 'edits' is empty");
  return fault;
}

/// The faults of one process, or those of several ranks.
std::vector<Fault> embedded_catalogue(bool of_ranks) {
  std::vector<Fault> faults = read_catalogue({kCatalogueFiles.begin(), kCatalogueFiles.end()});
  std::erase_if(faults, [&](const Fault& fault) { return fault.of_ranks() != of_ranks; });
  return faults;
}

}  // namespace

std::vector<Fault> parse_faults(std::string_view json, const std::string& file) {
  std::vector<Fault> faults;
  try {
    for (const Json& entry : Json::parse(json)) {
      const std::string id = entry.is_object() ? entry.value("id", "without an id") : "that is not an object";
      with_context(fmt::format("{}: fault {}", file, id), [&] {
        try {
          faults.push_back(fault_of(entry));
        } catch (const Json::exception& error) {
          throw Error(ErrorCode::schema, error.what());
        }
      });
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::schema, fmt::format("{}: {}", file, error.what()));
  }
  return faults;
}

std::vector<Fault> read_catalogue(const std::vector<CatalogueFile>& files) {
  std::vector<Fault> all;
  std::set<std::string> ids;
  for (const auto& [path, text] : files) {
    const std::filesystem::path file(path);
    const std::string component = file.stem().string();
    const bool of_ranks = file.parent_path().filename() == "ranks";
    for (Fault& fault : parse_faults(text, std::string(path))) {
      with_context(fmt::format("{}: fault {}", path, fault.id), [&] { require_names(fault); });
      PARITY_CHECK(ids.insert(fault.id).second, schema, "{}: fault '{}' is in the catalogue twice", path, fault.id);
      PARITY_CHECK(fault.component == component, schema, "{}: fault '{}' edits component '{}'; move it to {}.json",
                   path, fault.id, fault.component, fault.component);
      PARITY_CHECK(fault.of_ranks() == of_ranks, schema,
                   "{}: fault '{}' {} 'layouts'; faults of divided models, and no others, are in ranks/", path,
                   fault.id, fault.of_ranks() ? "has" : "has no");
      all.push_back(std::move(fault));
    }
  }
  return all;
}

const std::vector<Fault>& catalogue() {
  static const std::vector<Fault> faults = embedded_catalogue(false);
  return faults;
}

const std::vector<Fault>& rank_catalogue() {
  static const std::vector<Fault> faults = embedded_catalogue(true);
  return faults;
}

const Fault& find_fault(const std::string& id) {
  std::vector<std::string> ids;
  for (const auto* list : {&catalogue(), &rank_catalogue()}) {
    for (const Fault& fault : *list) {
      if (fault.id == id) return fault;
      ids.push_back(fault.id);
    }
  }
  throw Error(ErrorCode::usage, fmt::format("unknown fault '{}'{}; see parity list faults", id, did_you_mean(id, ids)));
}

Fault placed_fault(const std::string& word) {
  const size_t at = std::min(word.rfind('@'), word.size());
  const Fault& fault = find_fault(word.substr(0, at));
  const std::string ranks = at < word.size() ? word.substr(at + 1) : "";
  PARITY_CHECK(fault.of_ranks() || ranks.empty(), usage, "fault '{}' does not concern ranks; remove '@{}'", fault.id,
               ranks);
  return fault.of_ranks() ? at_ranks(fault, rank_target_of(ranks)) : fault;
}

}  // namespace parity::faults

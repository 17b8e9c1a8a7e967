// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/config_reader.hpp"

#include <cmath>

namespace parity {

using nlohmann::json;

ConfigReader::ConfigReader(const json& object, Typing typing) : object_(object), typing_(typing) {
  PARITY_CHECK(object.is_object(), schema, "config.json is not a JSON object ({{\"key\": value, …}}); copy it again");
}

const json* ConfigReader::scalar(const char* key, const char* expected) const {
  const json* value = present(key);
  PARITY_CHECK(value != nullptr || typing_ == Typing::lax || !has(key), schema, "config key '{}' is null; expected {}",
               key, expected);
  return value;
}

void ConfigReader::integer(const char* key, int64_t& target, int64_t least, int64_t most) const {
  const json* value = scalar(key, "an integer");
  if (value == nullptr) return;
  PARITY_CHECK(value->is_number_integer(), schema, "config key '{}' is {}; expected an integer", key, value->dump());
  target = value->get<int64_t>();
  PARITY_CHECK(target >= least && target <= most, schema, "config key '{}' is {}; expected {} to {}", key, target,
               least, most);
}

void ConfigReader::real(const char* key, double& target) const {
  const json* value = scalar(key, "a finite number");
  if (value == nullptr) return;
  PARITY_CHECK(typing_ != Typing::strict || !value->is_number_integer(), schema,
               "config key '{}' is {}; the package refuses integers there, write {}.0", key, value->dump(),
               value->dump());
  PARITY_CHECK(value->is_number() && std::isfinite(value->get<double>()), schema,
               "config key '{}' is {}; expected a finite number", key, value->dump());
  target = value->get<double>();
}

void ConfigReader::boolean(const char* key, bool& target) const {
  const json* value = scalar(key, "true or false");
  if (value == nullptr) return;
  PARITY_CHECK(value->is_boolean(), schema, "config key '{}' is {}; expected true or false", key, value->dump());
  target = value->get<bool>();
}

const json* ConfigReader::present(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const json* ConfigReader::object(const char* key) const {
  const json* value = present(key);
  PARITY_CHECK(value == nullptr || value->is_object(), schema, "config key '{}' is {}; expected an object", key,
               value->dump());
  return value;
}

std::vector<bool> layer_flags(const ConfigReader& canonical, const char* names_key, const char* set_name,
                              const char* clear_name, const json* legacy, bool fallback, int64_t layers, bool exact) {
  std::vector<bool> flags;
  const json* names = canonical.present(names_key);
  const json* list = names != nullptr ? names : legacy;
  if (list == nullptr) return std::vector<bool>(static_cast<size_t>(layers), fallback);
  const auto entries = static_cast<int64_t>(list->size());
  PARITY_CHECK(list->is_array() && (exact ? entries == layers : entries >= layers), schema,
               "the per-layer list for '{}' is {}; expected one entry for each of {} layers", names_key, list->dump(),
               layers);
  for (int64_t layer = 0; layer < layers; ++layer) {
    const json& entry = (*list)[static_cast<size_t>(layer)];
    if (names == nullptr) {
      PARITY_CHECK(entry.is_number() || entry.is_boolean(), schema,
                   "entry {} of the list for '{}' is {}; expected 0 or 1", layer, names_key, entry.dump());
      flags.push_back(entry.is_boolean() ? entry.get<bool>() : entry.get<double>() != 0.0);
      continue;
    }
    PARITY_CHECK(entry == set_name || entry == clear_name, schema, "entry {} of '{}' is {}; expected \"{}\" or \"{}\"",
                 layer, names_key, entry.dump(), set_name, clear_name);
    flags.push_back(entry == set_name);
  }
  return flags;
}

void read_rope_parameters(const ConfigReader& text, double& theta, double& partial_factor) {
  const json* scaling = text.object("rope_scaling");
  const json* parameters = scaling != nullptr && !scaling->empty() ? scaling : text.object("rope_parameters");
  if (parameters == nullptr) return;
  const ConfigReader rope(*parameters);
  rope.real("rope_theta", theta);
  rope.real("partial_rotary_factor", partial_factor);
  for (const char* key : {"rope_type", "type"}) {
    const json* type = rope.present(key);
    PARITY_CHECK(type == nullptr || *type == "default", unsupported,
                 "config key '{}' is {}; only the default rotary embedding is implemented", key, type->dump());
  }
}

}  // namespace parity

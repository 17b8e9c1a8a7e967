// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/files/schema_check.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.hpp"
#include "reports/schema_files.hpp"  // generated: the texts of reports/schema/
#include "reports/text/format.hpp"

namespace parity::reports {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 7> kAnnotations = {"$schema", "$id",         "$comment", "$defs",
                                                          "title",   "description", "examples"};

bool has_type(const json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  PARITY_CHECK(type == "integer", internal, "the schema has an unknown type '{}'", type);
  // JSON Schema counts 1.0 as an integer. Our reader does not, and our writer never writes it.
  return value.is_number_integer();
}

std::string shown(const json& value) {
  const std::string text = plain(value.dump(-1, ' ', false, json::error_handler_t::replace));
  return text.size() > 60 && (value.is_structured() || value.is_string()) ? std::string(value.type_name()) : text;
}

class Checker {
 public:
  Checker(const json& root, size_t most) : root_(root), most_(most) {}

  void check(const json& value, const json& schema, const std::string& path) {
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) add(path, "must be absent");
      return;
    }
    for (const auto& [keyword, rule] : schema.items()) {
      if (found.size() >= most_) return;
      apply(keyword, rule, value, schema, path);
    }
  }

  std::vector<std::string> found;

 private:
  void add(const std::string& path, const std::string& what) {
    found.push_back((path.empty() ? "/" : path) + ": " + what);
  }

  void apply(const std::string& keyword, const json& rule, const json& value, const json& schema,
             const std::string& path) {
    if (keyword == "$ref") return check(value, target(rule.get<std::string>()), path);
    if (keyword == "type") return type(value, rule, path);
    if (keyword == "const") return one_of(value, json::array({rule}), path);
    if (keyword == "enum") return one_of(value, rule, path);
    if (keyword == "anyOf") return any_of(value, rule, path);
    if (keyword == "required") return required(value, rule, path);
    if (keyword == "properties") return properties(value, rule, path);
    if (keyword == "additionalProperties") return others(value, rule, schema, path);
    if (keyword == "items") return items(value, rule, path);
    if (keyword == "minimum" || keyword == "maximum") return limit(value, rule, keyword == "minimum", path);
    const bool known = std::find(kAnnotations.begin(), kAnnotations.end(), keyword) != kAnnotations.end();
    PARITY_CHECK(known, internal, "the schema uses '{}', which schema_check.cpp does not know; add it there", keyword);
  }

  [[nodiscard]] const json& target(const std::string& reference) const {
    PARITY_CHECK(reference.rfind("#/", 0) == 0, internal, "the schema refers to '{}'; only '#/…' is followed",
                 reference);
    const json::json_pointer pointer(reference.substr(1));
    PARITY_CHECK(root_.contains(pointer), internal, "the schema refers to '{}', which it does not define", reference);
    return root_.at(pointer);
  }

  void type(const json& value, const json& rule, const std::string& path) {
    const json names = rule.is_array() ? rule : json::array({rule});
    const bool fits = std::any_of(names.begin(), names.end(), [&](const json& name) {
      return has_type(value, name.get_ref<const std::string&>());
    });
    if (!fits) add(path, shown(value) + " is not of type " + rule.dump());
  }

  void one_of(const json& value, const json& choices, const std::string& path) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      add(path, shown(value) + " is not one of " + choices.dump());
    }
  }

  void any_of(const json& value, const json& branches, const std::string& path) {
    const bool fits = std::any_of(branches.begin(), branches.end(), [&](const json& branch) {
      Checker inner(root_, 1);
      inner.check(value, branch, path);
      return inner.found.empty();
    });
    if (!fits)
      add(path, shown(value) + " fits none of the " + std::to_string(branches.size()) + " forms that are allowed");
  }

  void required(const json& value, const json& names, const std::string& path) {
    if (!value.is_object()) return;
    for (const json& name : names) {
      if (!value.contains(name.get_ref<const std::string&>()))
        add(path, "'" + name.get<std::string>() + "' is missing");
    }
  }

  void properties(const json& value, const json& rules, const std::string& path) {
    if (!value.is_object()) return;
    for (const auto& [name, rule] : rules.items()) {
      if (value.contains(name)) check(value.at(name), rule, fmt::format("{}/{}", path, name));
    }
  }

  void others(const json& value, const json& rule, const json& schema, const std::string& path) {
    if (!value.is_object()) return;
    for (const auto& [name, member] : value.items()) {
      const bool named = schema.contains("properties") && schema.at("properties").contains(name);
      if (!named) check(member, rule, path + "/" + plain(name));
    }
  }

  void items(const json& value, const json& rule, const std::string& path) {
    if (!value.is_array()) return;
    for (size_t i = 0; i < value.size(); ++i) check(value[i], rule, path + "/" + std::to_string(i));
  }

  void limit(const json& value, const json& rule, bool below, const std::string& path) {
    if (!value.is_number()) return;
    const auto got =
        value.get<long double>();  // holds every 64-bit integer; the library compares -1 and 2^64 - 1 wrongly
    const auto edge = rule.get<long double>();
    if (below ? got < edge : got > edge)
      add(path, shown(value) + (below ? " is less than " : " is more than ") + rule.dump());
  }

  const json& root_;
  size_t most_;
};

json schema_of(std::string_view name) {
  for (const auto& [path, text] : kSchemaFiles) {
    if (path.ends_with(name)) return json::parse(text);
  }
  throw Error(ErrorCode::internal, fmt::format("reports/schema/ has no file {}", name));
}

}  // namespace

const json& report_schema() {
  static const json schema = schema_of("/report.schema.json");
  return schema;
}

const json& study_schema() {
  static const json schema = schema_of("/study.schema.json");
  return schema;
}

std::vector<std::string> schema_violations(const json& document, const json& schema, size_t most) {
  Checker checker(schema, most);
  checker.check(document, schema, "");
  if (checker.found.size() > most) checker.found.resize(most);
  return checker.found;
}

}  // namespace parity::reports

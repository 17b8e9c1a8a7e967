// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "reports/json/json.hpp"
#include "reports/json/json_fields.hpp"
#include "reports/json/json_traits.hpp"
#include "reports/text/format.hpp"

namespace parity::reports {
namespace {

using nlohmann::json;

constexpr const char* kAdvice = "not a complete report.json; `parity report check` lists what is wrong";

void expect(bool condition, const std::string& path, const char* wanted) {
  PARITY_CHECK(condition, schema, "{} is not {}; {}", path, wanted, kAdvice);
}

/// Returns the enumerator with that name. `last` is the enumeration's last one.
template <class E>
E parse(const std::string& name, E last, const std::string& path, const char* kind) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name == to_string(static_cast<E>(i))) return static_cast<E>(i);
  }
  throw Error(ErrorCode::schema, fmt::format("{}: '{}' is not a valid {}; {}", path, plain(name), kind, kAdvice));
}

double decode_double(const json& value, const std::string& path) {
  if (value.is_number()) return value.get<double>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return infinity;
  expect(value == "-Infinity", path, "a number");
  return -infinity;
}

template <class T>
T decode_integer(const json& value, const std::string& path) {
  expect(value.is_number_integer(), path, "an integer");
  const auto fits = [](auto number) { return std::in_range<T>(number); };
  const bool in_range = value.is_number_unsigned() ? fits(value.get<uint64_t>()) : fits(value.get<int64_t>());
  expect(in_range, path, "in the range of its integer type");
  return value.get<T>();
}

template <class T>
void decode(const json& value, const std::string& path, T& result);

class Reader {
 public:
  static constexpr bool kWrites = false;

  Reader(const json& object, std::string path) : object_(object), path_(std::move(path)) {
    expect(object.is_object(), path_.empty() ? "the document" : path_, "an object");
  }

  template <class T>
  void field(const char* name, T& value) {
    decode(member(name), path_ + "/" + name, value);
  }
  template <class T>
  void optional(const char* name, T& value) {
    if (object_.contains(name)) field(name, value);
  }
  template <class T>
  void derived(const char* /*name*/, const T& /*value*/) {}
  void choice(std::initializer_list<const char*> keys, std::string& key, std::string& value) {
    key = "text";  // without any of these keys, there is only a text
    for (const char* known : keys) {
      if (!object_.contains(known)) continue;
      key = known;
      field(known, value);
    }
  }
  template <class Body>
  void group(const char* name, const Body& body) {
    Reader inner(member(name), path_ + "/" + name);
    body(inner);
  }

 private:
  [[nodiscard]] const json& member(const char* name) const {
    const auto found = object_.find(name);
    PARITY_CHECK(found != object_.end(), schema, "{}/{} is missing; {}", path_, name, kAdvice);
    return *found;
  }

  const json& object_;
  std::string path_;
};

template <class T>
void decode(const json& value, const std::string& path, T& result) {
  if constexpr (std::is_same_v<T, double>) {
    result = decode_double(value, path);
  } else if constexpr (std::is_same_v<T, bool>) {
    expect(value.is_boolean(), path, "true or false");
    result = value.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    result = decode_integer<T>(value, path);
  } else if constexpr (kIsNullable<T>) {
    if (!value.is_null()) decode(value, path, result.emplace());
  } else if constexpr (kIsList<T>) {
    expect(value.is_array(), path, "a list");
    result.clear();
    for (const json& item : value) {
      const std::string at = path + "/" + std::to_string(result.size());
      decode(item, at, result.emplace_back());
    }
  } else if constexpr (kIsMap<T>) {
    expect(value.is_object(), path, "an object");
    for (const auto& [key, item] : value.items()) decode(item, path + "/" + plain(key), result[key]);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_enum_v<T>) {
    expect(value.is_string(), path, "a string");
    const auto& text = value.get_ref<const std::string&>();
    if constexpr (std::is_same_v<T, std::string>) result = text;
    if constexpr (std::is_same_v<T, DType>) result = parse(text, DType::boolean, path, "element type");
    if constexpr (std::is_same_v<T, compare::Status>) result = parse(text, compare::Status::error, path, "status");
    if constexpr (std::is_same_v<T, compare::Answer>) result = parse(text, compare::Answer::not_shown, path, "class");
    if constexpr (std::is_same_v<T, compare::Policy>) result = parse(text, compare::Policy::bounds, path, "policy");
    if constexpr (std::is_same_v<T, compare::Mode>) result = parse(text, compare::Mode::forced, path, "mode");
    if constexpr (std::is_same_v<T, compare::ValueKind>)
      result = parse(text, compare::ValueKind::unwritten, path, "kind of values");
  } else {
    Reader reader(value, path);
    fields(reader, result);
  }
}

}  // namespace

compare::RunReport from_json(const json& document) {
  std::string version;
  Reader reader(document, "");
  reader.field("schema_version", version);
  const bool earlier = std::find(kEarlierVersions.begin(), kEarlierVersions.end(), version) != kEarlierVersions.end();
  PARITY_CHECK(
      version == kSchemaVersion || earlier, schema,
      "schema_version is '{}', but this version of parity reads '{}'; read the file with the version that wrote it",
      plain(version), kSchemaVersion);
  compare::RunReport report;
  fields(reader, report);
  return report;
}

}  // namespace parity::reports

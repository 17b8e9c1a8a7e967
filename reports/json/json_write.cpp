// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <initializer_list>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "core/shell.hpp"
#include "reports/json/json.hpp"
#include "reports/json/json_fields.hpp"
#include "reports/json/json_traits.hpp"
#include "reports/text/format.hpp"

namespace parity::reports {
namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json encode(const T& value);

class Writer {
 public:
  static constexpr bool kWrites = true;

  template <class T>
  void field(const char* name, const T& value) {
    object[name] = encode(value);
  }
  template <class T>
  void optional(const char* name, const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      if (value != 0.0) field(name, value);
    } else if constexpr (kIsNullable<T>) {
      if (value) field(name, *value);
    } else if (!value.empty()) {
      field(name, value);
    }
  }
  template <class T>
  void derived(const char* name, const T& value) {
    field(name, value);
  }
  /// Writes one of several keys. Writes nothing if `key` is none of them.
  void choice(std::initializer_list<const char*> keys, const std::string& key, const std::string& value) {
    for (const char* known : keys) {
      if (key == known) field(known, value);
    }
  }
  template <class Body>
  void group(const char* name, const Body& body) {
    Writer inner;
    body(inner);
    object[name] = inner.object;
  }

  ordered_json object = ordered_json::object();
};

template <class T>
ordered_json encode(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return json_number(value);
  } else if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string> || kIsMap<T>) {
    return value;
  } else if constexpr (kIsList<T>) {
    ordered_json list = ordered_json::array();
    for (const auto& item : value) list.push_back(encode(item));
    return list;
  } else if constexpr (kIsNullable<T>) {
    return value ? encode(*value) : ordered_json(nullptr);
  } else {
    Writer writer;
    fields(writer, value);
    return writer.object;
  }
}

}  // namespace

ordered_json to_json(const compare::RunReport& report) {
  Writer writer;
  writer.field("schema_version", std::string(kSchemaVersion));
  fields(writer, report);
  return writer.object;
}

ordered_json environment_json(const Environment& environment) { return encode(environment); }

std::string printable_json(const ordered_json& document, int indent) {
  const std::string text = document.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t count = text[i] == '\n' ? 0 : control_bytes(text, i);  // dump escapes those of names, and breaks lines
    if (count == 0) {
      result += text[i];
      continue;
    }
    i += count - 1;
    result += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[i]));  // the second byte of two is the code
  }
  return result;
}

std::string json_text(const compare::RunReport& report) { return printable_json(to_json(report), 1) + "\n"; }

}  // namespace parity::reports

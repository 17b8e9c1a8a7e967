// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/strict_json.hpp"

#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "golden/files/mapped_file.hpp"
#include "golden/files/one_line.hpp"

namespace parity::golden {
namespace {

using nlohmann::json;

constexpr int kDeepest = 64;
constexpr int64_t kLargestFile = int64_t{64} << 20;

std::string reason(const json::exception& error) {
  const std::string_view text = error.what();
  const size_t end_of_tag = text.find("] ");
  return one_line(end_of_tag == std::string_view::npos ? text : text.substr(end_of_tag + 2));
}

std::string shown(const json* value) {
  return value == nullptr ? "missing" : one_line(value->dump(-1, ' ', false, json::error_handler_t::replace), 60);
}

}  // namespace

void check_nesting(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      PARITY_CHECK(++depth <= kDeepest, schema, "JSON is nested more than {} levels deep at byte {}", kDeepest, i);
    } else if (!quoted && (c == '}' || c == ']')) {
      --depth;
    }
  }
}

json parse_json(std::string_view text) {
  check_nesting(text);
  std::vector<std::set<std::string>> keys;  // of the objects that are not closed yet
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      const bool fresh = keys.back().insert(parsed.get<std::string>()).second;
      PARITY_CHECK(fresh, schema, "JSON has the key '{}' twice in one object", one_line(parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::exception& error) {
    throw Error(ErrorCode::schema, "not JSON (NaN and Infinity are not allowed either); " + reason(error));
  }
}

json read_json(const std::filesystem::path& path) {
  const MappedFile file(path);
  return with_context(path.string(), [&] {
    PARITY_CHECK(file.size() <= kLargestFile, schema, "the JSON file has {} bytes; parity reads at most 64 MiB",
                 file.size());
    return parse_json({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  });
}

std::string first_difference(const json& a, const json& b) {
  if (a == b) return {};
  if (a.is_object() && b.is_object()) {
    std::set<std::string> keys;
    for (const auto& [key, value] : a.items()) keys.insert(key);
    for (const auto& [key, value] : b.items()) keys.insert(key);
    for (const std::string& key : keys) {
      if (a.contains(key) && b.contains(key)) {
        const std::string inner = first_difference(a[key], b[key]);
        if (!inner.empty()) return "/" + one_line(key) + inner;
        continue;
      }
      const auto value = [&](const json& object) {
        return object.contains(key) ? shown(&object[key]) : shown(nullptr);
      };
      return fmt::format("/{}: {} and {}", one_line(key), value(a), value(b));
    }
  }
  return fmt::format(": {} and {}", shown(&a), shown(&b));
}

}  // namespace parity::golden

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/files/manifest_file.hpp"

#include <map>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/files/strict_json.hpp"
#include "reports/text/format.hpp"

namespace parity::reports {
namespace {

using compare::Mode;
using compare::Status;
using nlohmann::json;

constexpr const char* kVersion = "1.0";

/// Returns the object under `key` of `parent`. `place` is the path of `parent` for messages.
const json& object_of(const json& parent, const std::string& key, const std::string& place) {
  const auto found = parent.find(key);
  PARITY_CHECK(found != parent.end() && found->is_object(), schema,
               "{}/{} is not an object; a manifest is written by `parity run … --write-manifest FILE`", plain(place),
               key);
  return *found;
}

Status status_of(const json& golden, const std::string& place) {
  const std::string name = golden.contains("status") && golden["status"].is_string() ? golden["status"] : "";
  for (int i = 0; i <= static_cast<int>(Status::error); ++i) {
    if (name == to_string(static_cast<Status>(i))) return static_cast<Status>(i);
  }
  throw Error(ErrorCode::schema,
              fmt::format("{}/status is not a verdict; use one of parity list statuses, usually pass", plain(place)));
}

/// Splits modes: "isolated+chained" gives both. Throws Error{schema} for other words.
std::vector<std::string> modes_of(const std::string& joined, const std::string& place) {
  const std::set<std::string> known{to_string(Mode::isolated), to_string(Mode::chained), to_string(Mode::forced)};
  std::vector<std::string> modes{""};
  for (const char letter : joined) {
    if (letter == '+') {
      modes.emplace_back();
    } else {
      modes.back() += letter;
    }
  }
  for (const std::string& mode : modes) {
    PARITY_CHECK(known.contains(mode), schema, "{}/{} is not a mode; use isolated, chained or forced, joined by +",
                 place, plain(joined));
  }
  return modes;
}

compare::Expectation expectation_of(const json& golden, const std::string& place) {
  compare::Expectation expected{status_of(golden, place), {}};
  for (const auto& [joined, counts] : object_of(golden, "judged", place).items()) {
    const std::string at = plain(place) + "/judged";
    for (const std::string& mode : modes_of(joined, at)) {
      for (const auto& [key, least] : object_of(golden["judged"], joined, at).items()) {
        PARITY_CHECK(least.is_number_unsigned(), schema, "{}/{}/{} is not a count of taps", at, joined, plain(key));
        expected.judged[mode][key] = least.get<int64_t>();
      }
    }
  }
  return expected;
}

}  // namespace

compare::Manifest read_manifest(const std::filesystem::path& path) {
  PARITY_CHECK(std::filesystem::exists(path), not_found,
               "{}: no such manifest; `parity run … --write-manifest {}` writes one", path.string(), path.string());
  const json document = golden::read_json(path);
  const std::string place = path.string() + ": ";
  PARITY_CHECK(document.is_object() && document.value("schema_version", json()) == kVersion, schema,
               "{}schema_version is not {}; write a new manifest with --write-manifest", place, kVersion);
  compare::Manifest manifest;
  for (const auto& [name, golden] : object_of(document, "goldens", place).items()) {
    const std::string at = fmt::format("{}/goldens/{}", place, name);
    PARITY_CHECK(golden.is_object(), schema, "{} is not an object", plain(at));
    manifest.goldens.emplace(name, expectation_of(golden, at));
  }
  PARITY_CHECK(!manifest.goldens.empty(), schema, "{}/goldens lists no golden; name at least one", place);
  return manifest;
}

std::string manifest_text(const compare::Manifest& manifest) {
  std::string goldens;
  for (const auto& [name, expected] : manifest.goldens) {
    std::map<std::string, std::string> shared;  // counts -> modes that have them
    for (const auto& [mode, counts] : expected.judged) {
      std::string& joined = shared[json(counts).dump()];
      joined += (joined.empty() ? "" : "+") + mode;
    }
    std::string modes;
    for (const auto& [counts, joined] : shared)
      modes += fmt::format("{}\n   \"{}\": {}", modes.empty() ? "" : ",", joined, counts);
    goldens += fmt::format("{}\n  {}: {{\"status\": \"{}\", \"judged\": {{{}}}}}", goldens.empty() ? "" : ",",
                           json(name).dump(), to_string(expected.status), modes);
  }
  return fmt::format("{{\"schema_version\": \"{}\", \"goldens\": {{{}}}}}\n", kVersion, goldens);
}

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/profile_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/json_keys.hpp"
#include "core/plans/release.hpp"

namespace parity {
namespace {

using nlohmann::json;

std::string description_of(const json& text) {
  return text.is_array() ? fmt::format("{}", fmt::join(text.get<std::vector<std::string>>(), "; ")) : std::string(text);
}

ParamValue value_of(const std::string& key, const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  PARITY_CHECK(value.is_number(), schema, "'{}' is {}; use true, false or a number", key, value.dump());
  return value.get<double>();
}

Precision precision_of(const std::string& key, const json& value) {
  PARITY_CHECK(value.is_string(), schema, "'{}' is {}; use the name of a precision", key, value.dump());
  return precision_named(value.get<std::string>());
}

/// Sets the entries of `target` that `file` has under `section`; null removes one.
template <class Map, class Read>
void apply(const json& file, const char* section, Map& target, const Read& read) {
  if (!file.contains(section)) return;
  PARITY_CHECK(file.at(section).is_object(), schema, "'{}' is not an object", section);
  for (const auto& [key, value] : file.at(section).items()) {
    target.erase(key);
    if (!value.is_null()) target.emplace(key, read(key, value));
  }
}

/// The files of one folder by name, each read when it or a later one is asked for.
class Folder {
 public:
  Folder(std::string path, std::string system) : path_(std::move(path)), system_(std::move(system)) {}

  void add(const std::string& name, std::string_view text) { texts_.emplace(name, text); }

  [[nodiscard]] std::vector<Profile> profiles() {
    std::vector<Profile> list;
    for (const auto& [name, text] : texts_) list.push_back(of(name));
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return release_of(a.name) < release_of(b.name); });
    return list;
  }

 private:
  [[nodiscard]] const Profile& of(const std::string& name) {
    if (const auto found = read_.find(name); found != read_.end()) return found->second;
    const auto text = texts_.find(name);
    Profile profile;
    with_context(fmt::format("{}/{}.json", path_, name), [&] {
      PARITY_CHECK(std::find(open_.begin(), open_.end(), name) == open_.end(), schema,
                   "the key 'after' leads back to this profile");
      open_.push_back(name);
      try {
        profile = read(name, json::parse(text->second));
      } catch (const json::exception& error) {
        throw Error(ErrorCode::schema, error.what());
      }
      open_.pop_back();
    });
    return read_.emplace(name, std::move(profile)).first->second;
  }

  [[nodiscard]] Profile read(const std::string& name, const json& file) {
    require_keys(file, {"description", "notes", "after", "also", "settings", "rounding", "config"});
    Profile profile;
    if (file.contains("after")) {
      const std::string after = file.at("after");
      PARITY_CHECK(texts_.contains(after), schema, "'after' names '{}', which is no file of the folder", after);
      profile = of(after);
    }
    profile.system = system_;
    profile.name = name;
    profile.source = description_of(file.at("description"));
    profile.also = file.value("also", std::vector<std::string>());
    apply(file, "settings", profile.settings, value_of);
    apply(file, "rounding", profile.rounding, precision_of);
    apply(file, "config", profile.config, value_of);
    for (const auto& [key, value] : profile.config) {
      const auto known = config_defaults().find(key);
      PARITY_CHECK(known != config_defaults().end(), schema,
                   "'config' has no key '{}'; core/plans/profile.cpp lists all", key);
      PARITY_CHECK(known->second.index() == value.index(), schema, "'{}' of 'config' has a value of another type", key);
    }
    return profile;
  }

  std::string path_, system_;
  std::map<std::string, std::string_view> texts_;
  std::map<std::string, Profile> read_;
  std::vector<std::string> open_;  // being read: a profile, the one that it follows, …
};

}  // namespace

std::vector<Profile> profiles_in(const std::string& folder, const std::string& system,
                                 const std::vector<ProfileFile>& files) {
  Folder found(folder, system);
  for (const auto& [path, text] : files) {
    const std::filesystem::path file(path);
    if (file.parent_path() == folder) found.add(file.stem().string(), text);
  }
  return found.profiles();
}

}  // namespace parity

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Typed, checked reading of a config.json: absent and null keys keep the default, everything else is named when wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity {

// What is listed one by one, and would exhaust the memory before anything else shows that it is absurd.
constexpr int64_t kMostLayers = 4096;
constexpr int64_t kMostExperts = 65536;
constexpr int64_t kMostTokensInBlock = 65536;

/// Reads one key when present and not null; refuses other types and non-finite numbers with Error{schema}.
class ConfigReader {
 public:
  static constexpr int64_t kMost = int64_t{1} << 31;

  explicit ConfigReader(const nlohmann::json& object) : object_(object) {}

  void integer(const char* key, int64_t& target, int64_t least = 1, int64_t most = kMost) const;
  void real(const char* key, double& target) const;
  void boolean(const char* key, bool& target) const;
  [[nodiscard]] const nlohmann::json* present(const char* key) const;              // nullptr: absent or null
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }  // null counts
  [[nodiscard]] const nlohmann::json* object(const char* key) const;  // the same; Error{schema} for other types

 private:
  const nlohmann::json& object_;
};

/// One flag per layer from a list of names under `names_key` or, failing that, of numbers (`legacy`); without either all
/// are `fallback`.
[[nodiscard]] std::vector<bool> layer_flags(const ConfigReader& canonical, const char* names_key, const char* set_name,
                                            const char* clear_name, const nlohmann::json* legacy, bool fallback,
                                            int64_t layers);

}  // namespace parity

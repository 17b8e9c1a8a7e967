// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Typed, checked reading of a config.json: absent and null keys keep the default, everything else is named when wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace parity {

// What is listed one by one, and would exhaust the memory before anything else shows that it is absurd.
constexpr int64_t kMostLayers = 4096;
constexpr int64_t kMostExperts = 65536;
constexpr int64_t kMostTokensInBlock = 65536;

/// What the package's class does with values that Python would convert or leave alone.
enum class Typing : uint8_t {
  lax,     // null is no value
  filled,  // null is refused
  strict,  // … and integers for real numbers
};

/// Reads one key when present; refuses other types and non-finite numbers with Error{schema}.
class ConfigReader {
 public:
  static constexpr int64_t kMost = int64_t{1} << 31;

  explicit ConfigReader(const nlohmann::json& object, Typing typing = Typing::lax) : object_(object), typing_(typing) {}
  [[nodiscard]] ConfigReader with(Typing typing) const { return ConfigReader(object_, typing); }

  void integer(const char* key, int64_t& target, int64_t least = 1, int64_t most = kMost) const;
  void real(const char* key, double& target) const;
  void boolean(const char* key, bool& target) const;
  [[nodiscard]] const nlohmann::json* present(const char* key) const;              // nullptr: absent or null
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }  // null counts
  [[nodiscard]] const nlohmann::json* object(const char* key) const;  // the same; Error{schema} for other types

 private:
  [[nodiscard]] const nlohmann::json* scalar(const char* key, const char* expected) const;

  const nlohmann::json& object_;
  Typing typing_;
};

/// One flag per layer from a list of names under `names_key` or, failing that, of numbers (`legacy`); without either all
/// are `fallback`. `exact`: as many entries as layers; else further ones are not read.
[[nodiscard]] std::vector<bool> layer_flags(const ConfigReader& canonical, const char* names_key, const char* set_name,
                                            const char* clear_name, const nlohmann::json* legacy, bool fallback,
                                            int64_t layers, bool exact = false);

/// rope_scaling replaces rope_parameters; inside, rope_theta and partial_rotary_factor win over the flat keys, which the
/// caller has read. Refuses every rotary embedding but the default one.
void read_rope_parameters(const ConfigReader& text, double& theta, double& partial_factor);

/// Refuses heads that do not divide, more experts per token than there are, a theta or an eps that is not positive. For
/// any decoder's config: they name these fields alike.
template <class Config>
void check_decoder(const Config& c) {
  PARITY_CHECK(c.num_attention_heads % c.num_key_value_heads == 0, schema,
               "config: {} attention heads are not a multiple of {} key/value heads", c.num_attention_heads,
               c.num_key_value_heads);
  PARITY_CHECK(c.num_experts_per_tok <= c.num_local_experts, schema, "config: {} experts per token of {}",
               c.num_experts_per_tok, c.num_local_experts);
  PARITY_CHECK(c.rope_theta > 0.0 && c.rms_norm_eps >= 0.0, schema,
               "config: rope_theta {} and rms_norm_eps {} must be positive", c.rope_theta, c.rms_norm_eps);
}

/// Refuses a share of the head that is no share, or that leaves an odd number of channels.
template <class Config>
void check_partial_rotation(const Config& c) {
  PARITY_CHECK(c.partial_rotary_factor > 0.0 && c.partial_rotary_factor <= 1.0, schema,
               "config: {} of each head would rotate (partial_rotary_factor); expected more than 0, at most 1",
               c.partial_rotary_factor);
  PARITY_CHECK(c.rotary_width() >= 2 && c.rotary_width() % 2 == 0, schema,
               "config: {} of {} head channels would rotate; expected an even number", c.rotary_width(), c.head_dim);
}

}  // namespace parity

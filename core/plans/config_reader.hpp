// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Typed, checked reading of a config.json: absent and null keys keep the default; errors name every other wrong key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace parity {

// Limits of counts for which entries are listed one by one: larger numbers would exhaust the memory before any check.
constexpr int64_t kMostLayers = 4096;
constexpr int64_t kMostExperts = 65536;
constexpr int64_t kMostTokensInBlock = 65536;

/// How the package's configuration class treats values that Python would convert or accept.
enum class Typing : uint8_t {
  lax,     // null counts as absent
  filled,  // null is refused
  strict,  // null is refused, and so are integers where a real number is expected
};

/// Reads single keys of a JSON object. Throws Error{schema} for values of another type and for non-finite numbers.
class ConfigReader {
 public:
  static constexpr int64_t kMost = int64_t{1} << 31;

  /// Throws Error{schema} unless `object` is a JSON object.
  explicit ConfigReader(const nlohmann::json& object, Typing typing = Typing::lax);
  [[nodiscard]] ConfigReader with(Typing typing) const { return ConfigReader(object_, typing); }

  void integer(const char* key, int64_t& target, int64_t least = 1, int64_t most = kMost) const;
  void real(const char* key, double& target) const;
  void boolean(const char* key, bool& target) const;
  [[nodiscard]] const nlohmann::json* present(const char* key) const;              // nullptr: absent or null
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }  // true for null, too
  [[nodiscard]] const nlohmann::json* object(const char* key) const;  // Error{schema} unless object or null

 private:
  [[nodiscard]] const nlohmann::json* scalar(const char* key, const char* expected) const;

  const nlohmann::json& object_;
  Typing typing_;
};

/// One flag per layer, from the list of names under `names_key`, or from the list of numbers `legacy` if there are no
/// names. Without either, all flags are `fallback`. `exact`: no further entries are allowed.
[[nodiscard]] std::vector<bool> layer_flags(const ConfigReader& canonical, const char* names_key, const char* set_name,
                                            const char* clear_name, const nlohmann::json* legacy, bool fallback,
                                            int64_t layers, bool exact = false);

/// Reads rope_theta and partial_rotary_factor from rope_scaling or, without it, from rope_parameters; they override the
/// flat keys, which the caller has read. Throws Error{unsupported} for rotary embeddings other than "default".
void read_rope_parameters(const ConfigReader& text, double& theta, double& partial_factor);

/// Throws Error{schema} if key/value heads do not divide the attention heads, if a token has more experts than there
/// are, if theta is not positive, or if eps is negative. All decoders' configs name these fields alike.
template <class Config>
void check_decoder(const Config& c) {
  PARITY_CHECK(c.num_attention_heads % c.num_key_value_heads == 0, schema,
               "config: {} attention heads are not a multiple of {} key/value heads", c.num_attention_heads,
               c.num_key_value_heads);
  PARITY_CHECK(c.num_experts_per_tok <= c.num_local_experts, schema,
               "config: num_experts_per_tok {} exceeds num_local_experts {}", c.num_experts_per_tok,
               c.num_local_experts);
  PARITY_CHECK(c.rope_theta > 0.0, schema, "config: rope_theta {} is not above 0", c.rope_theta);
  PARITY_CHECK(c.rms_norm_eps >= 0.0, schema, "config: rms_norm_eps {} is negative", c.rms_norm_eps);
}

/// Throws Error{schema} unless partial_rotary_factor is in (0, 1] and an even number of channels of each head rotates.
template <class Config>
void check_partial_rotation(const Config& c) {
  PARITY_CHECK(c.partial_rotary_factor > 0.0 && c.partial_rotary_factor <= 1.0, schema,
               "config: {} of each head would rotate (partial_rotary_factor); expected more than 0, at most 1",
               c.partial_rotary_factor);
  PARITY_CHECK(c.rotary_width() >= 2 && c.rotary_width() % 2 == 0, schema,
               "config: {} of {} channels of a head would rotate; expected an even number of 2 or more",
               c.rotary_width(), c.head_dim);
}

}  // namespace parity

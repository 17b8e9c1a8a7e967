// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// config.json of the published checkpoints, reduced to the keys that plan builders read; and a choice of their layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity {

/// Names of the published configurations: m3, m2, text01.
[[nodiscard]] std::vector<std::string> published_names();
/// The published configuration called `name`. Throws Error{usage}, which lists published_names().
[[nodiscard]] nlohmann::json published_config(const std::string& name);

/// The configuration with only the given layers, renumbered from 0, and a vocabulary of `words` tokens. A small
/// vocabulary saves embedding and head, most of the work. Throws Error{usage} for layers that do not exist.
[[nodiscard]] nlohmann::json some_layers(const nlohmann::json& config, const std::vector<int64_t>& layers,
                                         int64_t words);

}  // namespace parity

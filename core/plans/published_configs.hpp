// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// config.json of the published checkpoints, reduced to what the plan builders read; and a few layers of one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity {

/// m3, m2, text01
[[nodiscard]] std::vector<std::string> published_names();
/// Error{usage} lists those names.
[[nodiscard]] nlohmann::json published_config(const std::string& name);

/// The same model with the given layers only, renumbered from 0, and a vocabulary of `words`: embedding and head of the
/// published size would be most of the work and none of the interest. Error{usage} for layers that do not exist.
[[nodiscard]] nlohmann::json some_layers(const nlohmann::json& config, const std::vector<int64_t>& layers,
                                         int64_t words);

}  // namespace parity

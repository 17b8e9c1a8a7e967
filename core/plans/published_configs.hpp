// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// config.json of the published checkpoints, reduced to what the plan builders read; and a few layers of one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parity {

/// Error{unsupported} lists the systems that have one: minimax_m3_vl, minimax_m2.
[[nodiscard]] nlohmann::json published_config(const std::string& system);

/// The same model with the given layers only, renumbered from 0, and a vocabulary of `words`: embedding and head of the
/// published size would be most of the work and none of the interest. Error{usage} for layers that do not exist.
[[nodiscard]] nlohmann::json some_layers(const nlohmann::json& config, const std::vector<int64_t>& layers,
                                         int64_t words);

}  // namespace parity

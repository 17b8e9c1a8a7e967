// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Questions and answers of the protocol (docs/plugins.md) as JSON.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "cases/plugin/kernel_process.hpp"

namespace parity::cases {

/// What a worker's answer to "describe" says. Error{usage} if it is not as the protocol has it.
[[nodiscard]] Described described(const nlohmann::json& answer);

/// Adds the operands. Members of a bank that are made on demand are kept in `members`.
void place_inputs(const ProcessCall& call, Arena& arena, std::vector<Tensor>& members);
void place_outputs(const ProcessCall& call, Arena& arena);

[[nodiscard]] nlohmann::json call_message(const ProcessCall& call, uint64_t id, const Arena& inputs,
                                          const Arena& outputs);

}  // namespace parity::cases

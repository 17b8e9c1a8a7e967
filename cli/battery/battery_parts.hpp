// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the two files of `parity battery` share.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cases/beside.hpp"

namespace parity::cli {

/// Whether the two backends agree wherever they must.
[[nodiscard]] bool same_bits(const cases::Differences& differences);
[[nodiscard]] nlohmann::ordered_json beside_json(const cases::Differences& differences);
void print_beside(const cases::Differences& differences, const std::string& kernel, const std::string& other);

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Guards of kernels as JSON: the same in the documents of `selftest --guards` and of `battery`.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cases/guards.hpp"

namespace parity::cli {

[[nodiscard]] nlohmann::ordered_json guards_json(const std::vector<cases::KernelGuards>& kernels);

}  // namespace parity::cli

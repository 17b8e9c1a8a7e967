// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A tap and the call that computes it as data, for programs in other languages.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/plan.hpp"

namespace parity::cli {

/// Returns name, axes, shape and type of the tap, and the component, parameters and operands of its node. An operand is a
/// tap or a weight with its published names; in those of a bank "{}" stands for the number of the member.
[[nodiscard]] nlohmann::ordered_json tap_json(const Plan& plan, const std::string& tap);

}  // namespace parity::cli

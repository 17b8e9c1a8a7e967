// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The signature of a component as data, for programs in other languages.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/component.hpp"

namespace parity::cli {

/// Returns name, formula, operands with axes, outputs, and parameters with defaults and the values that drawn calls take.
[[nodiscard]] nlohmann::ordered_json signature_json(const Definition& definition);
/// Returns a parameter's value. JSON has no infinity: that is the text "inf" or "-inf".
[[nodiscard]] nlohmann::ordered_json number_json(const ParamValue& value);

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The study of planted faults as a JSON document.
#pragma once

#include <nlohmann/json.hpp>

#include "faults/studies/matrix.hpp"

namespace parity::cli {

/// Returns the outcome for a fault: "killed", "survived", "rounds differently" and others.
[[nodiscard]] const char* status_of(const faults::Matrix& matrix, const faults::FaultRow& row);
/// " (did you mean 'x'?)" for a glob that no fault's id matches.
[[nodiscard]] std::string nearest_fault(const std::string& glob);
[[nodiscard]] nlohmann::ordered_json fault_study_json(const faults::Matrix& matrix);

}  // namespace parity::cli

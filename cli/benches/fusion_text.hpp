// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Prints the name of a fusion for a reader.
#pragma once

#include <string>

namespace parity::cli {

/// Returns the components of the fusion in order: "residual_add > rms_norm".
[[nodiscard]] std::string chain_of(const std::string& fusion);

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How a fusion is named for people.
#pragma once

#include <string>

namespace parity::cli {

/// "residual_add > rms_norm".
[[nodiscard]] std::string chain_of(const std::string& fusion);

}  // namespace parity::cli

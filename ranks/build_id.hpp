// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tells builds apart: ranks of different builds may differ in what they compute, and in what they send.
#pragma once

#include <string>

namespace parity::ranks {

/// The linker's build id of the program, in hexadecimal digits: a hash of its contents. "unknown" if it has none.
[[nodiscard]] std::string build_id();

}  // namespace parity::ranks

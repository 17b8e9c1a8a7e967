// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names of kernels as their source has them.
#pragma once

#include <string>

namespace parity::ptx {

/// "_ZN4mine4siluIfEEvPKT_PS0_i" -> "mine::silu<float>": without the types of the result and of the parameters. A name
/// that is not mangled is returned as it is.
[[nodiscard]] std::string source_name(const std::string& mangled);

}  // namespace parity::ptx

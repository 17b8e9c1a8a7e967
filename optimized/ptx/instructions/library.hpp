// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Functions that modules call and that the system has: vprintf, __assertfail.
#pragma once

#include <string_view>

#include "optimized/ptx/machine/warp.hpp"

namespace parity::ptx {

[[nodiscard]] bool is_library(std::string_view name);
void call_library(Warp& warp, const Step& step);

}  // namespace parity::ptx

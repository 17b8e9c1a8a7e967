// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One parser, one input: whatever is in it, an Error or a result, soon and in little memory.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace parity::fuzz {

/// Of the target. Error for what is refused; Error{internal}, any other exception and a signal are findings.
void try_input(std::string_view input);

}  // namespace parity::fuzz

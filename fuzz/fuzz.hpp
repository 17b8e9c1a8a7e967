// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The interface of a fuzz target: for any input, a parser returns a result or throws Error, soon and in little memory.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace parity::fuzz {

/// Parses one input. Throws Error for a refused input; Error{internal}, any other exception and a signal are defects.
void try_input(std::string_view input);

}  // namespace parity::fuzz

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "optimized/ptx/text/cursor.hpp"
#include "optimized/ptx/text/module.hpp"

namespace parity::ptx {

using NamedVariable = std::pair<std::string, Variable>;

/// Bits of ".f32", ".b128", ".pred" (1); 0 for what is no type.
[[nodiscard]] uint32_t bits_of_type(std::string_view type);
/// Parses a variable after the word for its state space: ".align 16 .b8 name[1024] = {0, 1}", ".v4 .f32 name", ".u64
/// .ptr .global .align 4 name".
[[nodiscard]] NamedVariable parse_variable(Cursor& cursor, const std::string& space);
/// "(.param .b64 a, .param .b32 b)", or nothing.
[[nodiscard]] std::vector<NamedVariable> parse_parameters(Cursor& cursor);

}  // namespace parity::ptx

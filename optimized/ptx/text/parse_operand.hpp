// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "optimized/ptx/text/cursor.hpp"
#include "optimized/ptx/text/module.hpp"

namespace parity::ptx {

/// "%r1", "%f2|%p3", "-4", "0f3F800000", "array+16", "[%rd1+8]", "[%rd1, {%r1, %r2}]", "{%f1, _}", "(param0)", "!%p1".
[[nodiscard]] Operand parse_operand(Cursor& cursor);
/// Parses operands up to a ";", and takes it.
[[nodiscard]] std::vector<Operand> parse_operands(Cursor& cursor);

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Bounds on the text of a policy, checked before it is parsed: the parser of TOML is recursive in some places.
#pragma once

#include <string_view>

namespace parity::cli {

/// Throws Error{schema} for a key of more than 32 parts ("a.b.c"), in a header or before "=", and for brackets and
/// braces nested deeper than 32. Text in quotes and comments is left out.
void check_policy_text(std::string_view text);

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The policy of `parity gate`: TOML, its tables and keys. Patterns of goldens are not matched with files.
#include "cli/gate/gate_policy.hpp"
#include "fuzz/fuzz.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) { static_cast<void>(cli::parse_policy(input, "parity.toml")); }

}  // namespace parity::fuzz

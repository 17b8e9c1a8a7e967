// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// PTX: parses a module and decodes all of its instructions. Nothing is executed.
#include "fuzz/fuzz.hpp"
#include "optimized/ptx/machine/program.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) { static_cast<void>(ptx::Program(input)); }

}  // namespace parity::fuzz

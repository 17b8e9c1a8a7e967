// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/baseline.hpp"
#include "fuzz/fuzz.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) { (void)benches::baseline_from_json(std::string(input), "baseline.json"); }

}  // namespace parity::fuzz

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks that a capture was made from the golden's inputs.
#pragma once

#include <string>
#include <vector>

#include "golden/golden.hpp"

namespace parity::compare {

/// Throws unless the tokens of the capture equal the golden's: a verdict on other inputs would mean nothing. The
/// capture may lack the tokens of calls in `without`, which it did not compute.
void check_same_tokens(const golden::Golden& golden, const golden::ActivationFile& capture,
                       const std::vector<std::string>& without = {});

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Whether a capture was made of the golden's inputs.
#pragma once

#include <string>
#include <vector>

#include "golden/golden.hpp"

namespace parity::compare {

/// Tokens of a capture must be the golden's: a verdict on other inputs would be about nothing.
/// Those of calls that it did not compute (`without`) it may lack.
void check_same_tokens(const golden::Golden& golden, const golden::ActivationFile& capture,
                       const std::vector<std::string>& without = {});

}  // namespace parity::compare

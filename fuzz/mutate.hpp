// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <random>
#include <string>
#include <vector>

namespace parity::fuzz {

/// One of the corpus with one to eight changes: bits, bytes, numbers at edges, parts left out, repeated, or of another one.
[[nodiscard]] std::string mutated(const std::vector<std::string>& corpus, std::mt19937_64& random);

}  // namespace parity::fuzz

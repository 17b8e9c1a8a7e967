// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <random>
#include <string>
#include <vector>

namespace parity::fuzz {

/// Returns a text of the corpus with one to eight changes of bits, bytes, numbers, words or pieces.
[[nodiscard]] std::string mutated(const std::vector<std::string>& corpus, std::mt19937_64& random);

}  // namespace parity::fuzz

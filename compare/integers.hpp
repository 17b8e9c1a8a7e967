// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counts and flags that follow from other taps: equal or wrong.
#pragma once

#include <vector>

#include "compare/record.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

/// The effect of decisions that are not recorded: those elements may differ by this many tokens. Their total may not: another
/// choice moves a token from one count to another.
struct OpenIntegers {
  std::vector<bool> elements;  // empty: none
  int64_t tokens = 0;
};

/// Holds `got` against `expected`, both i64; fills everything of the record that elements have.
void judge_integers(const Tensor& expected, const Tensor& got, const OpenIntegers& open, Record& record);

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counts and flags that follow from other taps: equal or wrong.
#pragma once

#include "compare/record.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

/// Holds `got` against `expected`, both i64; fills everything of the record that elements have.
void judge_integers(const Tensor& expected, const Tensor& got, Record& record);

}  // namespace parity::compare

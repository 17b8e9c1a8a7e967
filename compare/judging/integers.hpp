// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counts and flags that follow from other taps. They must be equal.
#pragma once

#include <vector>

#include "compare/judging/record.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

/// The effect of unrecorded decisions on counts. Each marked element may differ by up to `tokens`, but their total may
/// not, because another choice moves a token from one count to another.
struct OpenIntegers {
  std::vector<bool> elements;  // true for elements that may differ; empty: none may
  int64_t tokens = 0;          // by how much a count may differ
  bool ids = false;            // an open element is an id, so that any other may stand there, and no sum is kept
};

/// Compares `got` with `expected`, both i64, and fills every field of the record that is about elements.
void judge_integers(const Tensor& expected, const Tensor& got, const OpenIntegers& open, Record& record);

}  // namespace parity::compare

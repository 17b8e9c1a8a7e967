// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tells elements that a kernel never wrote from NaN that it computed: its outputs held Poison::nan before it ran.
#pragma once

#include "compare/judging/record.hpp"
#include "compare/judging/tolerance.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

/// Whether element i of a dense tensor, in the type in which it was stored, still holds the bits of Poison::nan.
[[nodiscard]] bool is_marked(const TensorView& stored, int64_t i);
/// Counts the NaN that neither the exact nor the rounded reference has.
[[nodiscard]] NotNumbers not_numbers_of(const Values& values, const TensorView& stored);

}  // namespace parity::compare

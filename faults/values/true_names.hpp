// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Names that are true of damaged values although the damage was another one: exchanging two of two rows also reverses
// them. Shares no code with the matcher (compare/values/value_match.hpp).
#pragma once

#include "faults/values/value_corruption.hpp"

namespace parity::faults {

/// Whether some damage of `kind` gives exactly `values`. Tries all choices of every damage, or, of too many, the first
/// and random ones.
[[nodiscard]] bool is_true_of(compare::ValueKind kind, const Target& target, const ValueMaterial& material,
                              const Tensor& values);

}  // namespace parity::faults

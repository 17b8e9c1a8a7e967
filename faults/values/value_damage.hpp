// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Functions that damage the values of a tap: they change numbers, move them, or replace them by others.
#pragma once

#include <vector>

#include "faults/values/value_corruption.hpp"
#include "faults/values/value_frame.hpp"

namespace parity::faults::value_damage {

using Values = std::vector<double>;
using Damage = void(const Target&, const ValueMaterial&, Choices&, Values& values);

// Defined in value_damage_numbers.cpp.
Damage zero_tap, zero_slice, constant_slice, negate_tap, negate_slice, scale_tap, scale_slice, scale_rows, offset_slice,
    round_more, truncate;
// Defined in value_damage_moves.cpp.
Damage shift_kept, shift_zeros, rotate, reverse, permute, repeat_slice, exchange_two, exchange_parts,
    exchange_neighbours, transpose, transpose_tile, interleave;
// Defined in value_damage_sources.cpp.
Damage take_other, take_input, leave_nan, leave_pattern, ids_up, ids_exchanged;

/// Returns one of the axes that have at least `least` positions.
[[nodiscard]] size_t axis_of(const Frame& frame, int64_t least, Choices& choices);
/// Returns the largest finite magnitude.
[[nodiscard]] double largest(const Values& values);
/// Returns the whole tap, or a slice.
[[nodiscard]] Part some_part(const Frame& frame, Choices& choices);

template <class Change>
void change(const Frame& frame, const Part& part, Values& values, const Change& changed) {
  for (int64_t i = 0; i < frame.count(); ++i) {
    if (part.holds(frame, i)) values[static_cast<size_t>(i)] = changed(values[static_cast<size_t>(i)]);
  }
}

}  // namespace parity::faults::value_damage

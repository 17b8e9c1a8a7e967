// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Named moves of slices along an axis. A move gives for each position the position from which its values come.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compare/values/value_slices.hpp"

namespace parity::compare {

/// Source of a position to which no slice was moved: zeros explain its values.
constexpr int64_t kNowhere = -1;

struct Move {
  ValueKind kind = ValueKind::permuted;
  std::string detail;
  std::function<int64_t(int64_t)> source;  // a position that is its own source is not moved
  double cost = 0.0;                       // bits of information used to fit the move
};

/// Returns the plural of a word: "heads". A letter of the format is unchanged.
[[nodiscard]] std::string plural(const std::string& word);

void add_exchanges(const Slices& slices, std::vector<Move>& moves);
void add_reversals(const Slices& slices, std::vector<Move>& moves);
void add_shifts(const Slices& slices, std::vector<Move>& moves);
void add_interleavings(const Slices& slices, std::vector<Move>& moves);
void add_repetitions(const Slices& slices, std::vector<Move>& moves);
/// Adds the description that the slices are in another order; the order is found slice by slice.
void add_permutation(const Slices& slices, std::vector<Move>& moves);

}  // namespace parity::compare

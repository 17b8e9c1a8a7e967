// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Moves of slices along an axis that have a name: for every position, the one whose values stand there.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compare/value_slices.hpp"

namespace parity::compare {

/// Nothing stands there that was moved: zeros explain such a slice.
constexpr int64_t kNowhere = -1;

struct Move {
  ValueKind kind = ValueKind::permuted;
  std::string detail;
  std::function<int64_t(int64_t)> source;  // position itself: not moved
  double cost = 0.0;                       // bits that were chosen to fit
};

/// "heads"; a letter of the format stays as it is.
[[nodiscard]] std::string plural(const std::string& word);

void add_exchanges(const Slices& slices, std::vector<Move>& moves);
void add_reversals(const Slices& slices, std::vector<Move>& moves);
void add_shifts(const Slices& slices, std::vector<Move>& moves);
void add_interleavings(const Slices& slices, std::vector<Move>& moves);
void add_repetitions(const Slices& slices, std::vector<Move>& moves);
/// Whatever stands where, slice by slice.
void add_permutation(const Slices& slices, std::vector<Move>& moves);

}  // namespace parity::compare

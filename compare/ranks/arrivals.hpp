// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How a message may arrive wrong, and which of these ways gives the values that a receiver must have had.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/tensor.hpp"

namespace parity::compare {

/// The elements of one sender's part that the receiver has otherwise, with the values that it must have had.
struct Arrived {
  std::vector<int64_t> element;
  std::vector<double> value, tolerance;
  std::vector<double> hides{};  // how much each element of the part may change unnoticed; empty: not at all
};

/// A tensor that may have taken the place of the sent one, with its name.
using Instead = std::vector<std::pair<std::string, Tensor>>;

struct Arrival {
  std::string how;            // "zeros"; empty: no way fits
  double explains = 0.0;      // share of the elements
  int64_t absent = 0;         // other elements that would be wrong as well, and are right
  std::vector<double> value;  // of the elements, if they arrived this way
};

/// Returns the way that explains the most elements, and of these the one with the fewest absent errors. A way that
/// explains fewer than most is none.
[[nodiscard]] Arrival how_it_arrived(const Arrived& arrived, const Tensor& sent, const Instead& instead);

}  // namespace parity::compare

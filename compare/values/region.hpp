// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The failures of a tap as a product of positions along its axes: the smallest product that includes all failures.
#pragma once

#include <string>
#include <vector>

#include "compare/judging/positions.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

/// A way to index the elements of a tap: (token, channel), (token, head, channel in head), (row, channel), (element).
struct Grouping {
  std::vector<std::string> words;
  Shape extents;                       // extents of the axes in `words`, row-major
  bool listing = true;                 // true: stretches may be listed; false: flat positions
  std::vector<std::string> letters{};  // axis letters; a row has the letter of its last axis
};

struct Region {
  std::vector<Positions> parts;  // one per axis of the grouping; their product includes every failure
  int64_t failed = 0;
  int64_t elements = 0;                // number of elements of the tap
  [[nodiscard]] int64_t size() const;  // number of elements of the product
  /// Whether no part restricts the positions.
  [[nodiscard]] bool scattered() const;
  [[nodiscard]] std::string text() const;
};

/// Returns the word for an axis token of the golden format: "sequence", "token", "head", …. A token of
/// several letters ("AD", "2F") is a "column"; a letter without a word is the word.
[[nodiscard]] std::string axis_word(const std::string& token);
/// Returns a position in words, such as "token 11, head 3, channel 14". Axes of extent 1 are left out. A token of
/// several axes ("AD") is split if `sizes` has its letters.
[[nodiscard]] std::string position_text(const std::string& axes, const Shape& shape, const std::vector<int64_t>& index,
                                        const AxisSizes& sizes);
/// Returns the groupings of a tap: recorded axes ("AD" and "N" are split if `sizes` has the letters), rows, elements.
[[nodiscard]] std::vector<Grouping> groupings_of(const std::string& axes, const Shape& shape, const AxisSizes& sizes);
/// Returns the smallest product that includes all failures; of equal ones, the first. Flat ones: a quarter smaller.
[[nodiscard]] Region region_of(const std::vector<Grouping>& groupings, const std::vector<bool>& failed);

}  // namespace parity::compare

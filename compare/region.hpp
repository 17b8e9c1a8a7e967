// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The failures of a tap as a product of positions along its axes: the smallest one that holds them all, or none.
#pragma once

#include <string>
#include <vector>

#include "compare/positions.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

/// One way to count the elements of a tap: (token, channel), (token, head, channel within it), (row, channel), (element).
struct Grouping {
  std::vector<std::string> words;
  Shape extents;                       // of the same product, row-major
  bool listing = true;                 // stretches may be listed; false: flat positions
  std::vector<std::string> letters{};  // of the axes; a row bears that of the last axis that it is made of
};

struct Region {
  std::vector<Positions> parts;  // one per axis of the grouping; every failure is in their product
  int64_t failed = 0;
  int64_t elements = 0;                // of the tap
  [[nodiscard]] int64_t size() const;  // elements of the product
  /// No part tells where they are.
  [[nodiscard]] bool scattered() const;
  [[nodiscard]] std::string text() const;
};

/// "sequence", "token", "head", … for an axis token of the golden format; the token itself when it has no word.
[[nodiscard]] std::string axis_word(const std::string& token);
/// "token 11, head 3, channel 14": the position along every axis that has more than one, those that are several in one
/// taken apart where `sizes` says how.
[[nodiscard]] std::string position_text(const std::string& axes, const Shape& shape, const std::vector<int64_t>& index,
                                        const AxisSizes& sizes);
/// The axes as recorded, those that are several in one ("AD", "N") taken apart where `sizes` says how, rows, and elements.
[[nodiscard]] std::vector<Grouping> groupings_of(const std::string& axes, const Shape& shape, const AxisSizes& sizes);
/// The smallest product that holds every failure; of equal ones the earlier grouping's; flat positions only when a quarter smaller.
[[nodiscard]] Region region_of(const std::vector<Grouping>& groupings, const std::vector<bool>& failed);

}  // namespace parity::compare

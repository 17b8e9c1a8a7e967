// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Axes and extents of what one rank holds of a tensor.
#pragma once

#include "core/sharding/node_shares.hpp"

namespace parity {

using OwnRanges = std::map<Unit, Ranges>;  // of one rank

/// Extents of the letters of `axes`, of which some change within a call: `shape` tells those that stand alone.
[[nodiscard]] AxisSizes sizes_in(const AxisSizes& call, const std::string& axes, const Shape& shape);
/// The same extents, with the divided ones as a rank has them.
[[nodiscard]] AxisSizes local_sizes(AxisSizes sizes, const OwnRanges& ranges);
/// The axes of a rank's part: a divided token of several letters gets the letter Z.
[[nodiscard]] std::string local_axes(const std::string& axes, const Shares& shares);
/// The axes under which `gather` reads and writes a tap so that `unit` is its third axis, or `gather_ids` its second.
[[nodiscard]] std::string gather_axes(const std::string& axes, const Unit& unit, bool ids);
/// The shares along units that the axes have.
[[nodiscard]] Shares within(Shares shares, const std::string& axes);

}  // namespace parity

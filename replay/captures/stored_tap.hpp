// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Converts a dataset of a capture to the tap that it records: element type, and order of axes.
#pragma once

#include <optional>
#include <string>

#include "core/plan.hpp"
#include "golden/files/activation_file.hpp"

namespace parity::replay {

/// A recorded tap that does not fit the plan. It is reported, and not used as an input.
struct Mismatch {
  bool type = false;   // true: another element type or unknown axes; false: another shape
  std::string reason;  // dataset, found, expected, remedy
};

/// Whether numbers of type `found` can stand for the plan's: each is also a number of binary64, or of i64.
[[nodiscard]] bool readable_as(DType found, DType wanted);
/// Whether `stored` has fewer significant bits than the plan's type, so that computed values are known only rounded.
[[nodiscard]] bool narrower(DType stored, DType planned);

/// Returns the axes under which a dataset is read: its own if they are a permutation of the plan's, else the plan's.
[[nodiscard]] std::string axes_read(const golden::DatasetInfo& dataset, const TapInfo& info);
/// Returns a permutation of the plan's axes that gives `shape`, or "" if there is none. If equal extents allow several,
/// it is the one that moves the fewest axes.
[[nodiscard]] std::string exchanged_axes(const Shape& shape, const TapInfo& info);
/// Returns `found` with its axes permuted to the plan's order, contiguous.
[[nodiscard]] Tensor in_planned_order(const Tensor& found, const std::string& axes, const TapInfo& info);

/// Returns the tap in the plan's type if each value is a number of it, else in the stored type.
[[nodiscard]] Tensor in_planned_type(Tensor stored, DType planned);

}  // namespace parity::replay

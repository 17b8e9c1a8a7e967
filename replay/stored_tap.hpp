// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A dataset of a capture as the tap that it records: in its own element type, and under the plan's axes.
#pragma once

#include <optional>
#include <string>

#include "core/plan.hpp"
#include "golden/activation_file.hpp"

namespace parity::replay {

/// A recorded tap that cannot be what the plan asks for; it is judged as such and otherwise not used.
struct Mismatch {
  bool type = false;   // another element type, or unknown axes; else another shape
  std::string reason;  // dataset, found, expected, remedy
};

/// Numbers of this type mean what the plan's do: every one of them is one of binary64, or of i64.
[[nodiscard]] bool readable_as(DType found, DType wanted);
/// Fewer significant bits than the plan's type: what was computed is known to a rounding only.
[[nodiscard]] bool narrower(DType stored, DType planned);

/// The axes under which a dataset is read: its own, where they are the plan's in another order; else the plan's.
[[nodiscard]] std::string axes_read(const golden::DatasetInfo& dataset, const TapInfo& info);
/// The plan's axes in an order that gives `shape`; empty when there is none. Which one it is, `shape` alone does not say
/// where two extents are equal: the fewest axes are moved.
[[nodiscard]] std::string exchanged_axes(const Shape& shape, const TapInfo& info);
/// `found` with its axes in the order of the plan's, contiguous.
[[nodiscard]] Tensor in_planned_order(const Tensor& found, const std::string& axes, const TapInfo& info);

/// In the plan's type where each value is one of that type, else as stored.
[[nodiscard]] Tensor in_planned_type(Tensor stored, DType planned);

}  // namespace parity::replay

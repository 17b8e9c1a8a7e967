// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Operands of a node under the axes that the plan gives them, as a kernel sees them.
#pragma once

#include <string>
#include <vector>

#include "core/tensor.hpp"

namespace parity::replay {

/// Returns the operand under `axes`; if empty, unchanged.
[[nodiscard]] inline TensorView under(const TensorView& view, const std::string& axes, const AxisSizes& sizes) {
  return axes.empty() ? view : view.view_as(axes, sizes);
}

/// Returns an operand that is only read under `axes`. If no view can represent it, it is copied to `copies`.
[[nodiscard]] inline TensorView read_under(const TensorView& view, const std::string& axes, const AxisSizes& sizes,
                                           std::vector<Tensor>& copies) {
  if (axes.empty() || view.viewable_as(axes, sizes)) return under(view, axes, sizes);
  copies.push_back(copied_as(view, axes, sizes));
  return copies.back().view();
}

}  // namespace parity::replay

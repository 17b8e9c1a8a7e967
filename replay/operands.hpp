// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Operands of a node as its kernel sees them: under the axes that the plan names.
#pragma once

#include <string>
#include <vector>

#include "core/tensor.hpp"

namespace parity::replay {

/// `axes` empty: as it is.
[[nodiscard]] inline TensorView under(const TensorView& view, const std::string& axes, const AxisSizes& sizes) {
  return axes.empty() ? view : view.view_as(axes, sizes);
}

/// The same for an operand that is read; one that no view can show is copied into `copies`.
[[nodiscard]] inline TensorView read_under(const TensorView& view, const std::string& axes, const AxisSizes& sizes,
                                           std::vector<Tensor>& copies) {
  if (axes.empty() || view.viewable_as(axes, sizes)) return under(view, axes, sizes);
  copies.push_back(copied_as(view, axes, sizes));
  return copies.back().view();
}

}  // namespace parity::replay

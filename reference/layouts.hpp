// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Copies of operands in other memory layouts, for tests that a kernel's result does not depend on strides.
#pragma once

#include <array>

#include "core/tensor.hpp"

namespace parity::reference {

struct Layout {
  const char* name;
  TensorView (*make)(const TensorView& source, Tensor& keep);  // `keep` becomes the owner of the elements
  bool refusable;                                              // a kernel may refuse it: a copy is needed
};

/// Padded rows, every other element of a buffer, the first axis innermost, and arbitrary strides of axes of extent 1.
[[nodiscard]] const std::array<Layout, 4>& layouts();

/// Copies all elements; the views must have the same type and shape.
void copy_elements(const TensorView& from, const TensorView& to);

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The same elements, lying otherwise in memory: kernels read views, and must not care.
#pragma once

#include <array>

#include "core/tensor.hpp"

namespace parity::reference {

struct Layout {
  const char* name;
  TensorView (*make)(const TensorView& source, Tensor& keep);  // `keep` owns the elements
  bool refusable;                                              // a kernel may say that it would need a copy
};

/// Padded rows, every other element, column by column, units with strides that say nothing.
[[nodiscard]] const std::array<Layout, 4>& layouts();

/// Both of one type and one shape.
void copy_elements(const TensorView& from, const TensorView& to);

}  // namespace parity::reference

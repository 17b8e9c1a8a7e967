// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <numeric>
#include <string>

#include "core/tensor.hpp"

namespace parity {

/// 0, 1, 2, ... in binary64: the value of an element is its flat index.
inline Tensor counting(const Shape& shape, const std::string& axes = {}) {
  Tensor result(DType::f64, shape, axes);
  std::iota(result.f64(), result.f64() + result.view().count(), 0.0);
  return result;
}

}  // namespace parity

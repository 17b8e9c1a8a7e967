// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/plan.hpp"
#include "core/tensor.hpp"

namespace parity::replay {

/// An output before its kernel ran: NaN everywhere, or the least integer, so that an element that is not written shows.
inline Tensor poisoned(DType type, const TapInfo& info) {
  Tensor result = Tensor::guarded(type, info.shape, info.axes);
  if (type == DType::i64) {
    std::fill_n(result.i64(), result.view().count(), std::numeric_limits<int64_t>::min());
  } else if (!result.empty()) {
    std::memset(result.view().data, 0xFF, static_cast<size_t>(result.bytes()));
  }
  return result;
}

}  // namespace parity::replay

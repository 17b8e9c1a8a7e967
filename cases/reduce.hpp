// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reduces a failing case.
#pragma once

#include <functional>

#include "core/tensor.hpp"

namespace parity::cases {

/// Returns the smallest limits on the extents `drawn` for which fails(limits) was seen to be true, by halving each
/// letter in turn until none gets smaller. Assumes that fails({}) is true.
[[nodiscard]] AxisSizes reduced(const AxisSizes& drawn, const std::function<bool(const AxisSizes&)>& fails);

}  // namespace parity::cases

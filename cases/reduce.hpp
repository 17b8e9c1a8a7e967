// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Makes a failing case small.
#pragma once

#include <functional>

#include "core/tensor.hpp"

namespace parity::cases {

/// Limits on the extents `drawn`, as small as they go while fails(limits) holds: each letter in turn by halving, until none
/// gets smaller. The returned case failed; fails({}) is assumed.
[[nodiscard]] AxisSizes reduced(const AxisSizes& drawn, const std::function<bool(const AxisSizes&)>& fails);

}  // namespace parity::cases

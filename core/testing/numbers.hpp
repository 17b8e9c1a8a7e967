// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>

namespace parity::tests {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace parity::tests

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>

namespace parity::cases {

/// Calls body(0) … body(count - 1) from several threads (0: one per processor). The first exception stops the work and
/// is rethrown here.
void in_parallel(int threads, int64_t count, const std::function<void(int64_t)>& body);

}  // namespace parity::cases

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What one input allocates at most: a parser may take as many bytes as its input has, and 64 MiB more.
#pragma once

#include <cstdint>

namespace parity::fuzz {

/// Counts allocations by hooks of the address sanitizer. Call once; without that sanitizer it returns false, and
/// nothing is counted.
bool count_allocations();
/// Begins with a new input: the peak is that of later allocations.
void forget_peak();
/// The most bytes that were allocated at one time since forget_peak(), beyond those that were allocated then.
[[nodiscard]] int64_t peak_bytes();

}  // namespace parity::fuzz

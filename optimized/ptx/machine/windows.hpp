// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Generic addresses: where in them the memory of a block, of a thread and of parameters is seen.
#pragma once

#include <cstdint>

namespace parity::ptx {

inline constexpr uint64_t kSharedWindow = uint64_t{1} << 48U;
inline constexpr uint64_t kLocalWindow = uint64_t{2} << 48U;
inline constexpr uint64_t kParamWindow = uint64_t{3} << 48U;
inline constexpr uint64_t kFunctionWindow = uint64_t{4} << 48U;

[[nodiscard]] constexpr uint64_t window_of(uint64_t address) { return address >> 48U << 48U; }

/// An address of shared memory is an offset, with rank + 1 of the block in its cluster above it, or 0 for the own
/// block.
inline constexpr uint32_t kRankShift = 24;
inline constexpr uint32_t kSharedOffset = (1U << kRankShift) - 1;
/// The first KiB belongs to the system, as on sm_90; a null pointer is no address of a variable.
inline constexpr uint32_t kSharedStart = 1024;

}  // namespace parity::ptx

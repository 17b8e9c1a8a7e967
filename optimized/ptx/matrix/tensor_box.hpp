// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The bytes that one cp.async.bulk.tensor copies. PTX ISA 5.5.3 (tiled mode) and 5.5.7 (swizzling modes).
#pragma once

#include <vector>

#include "optimized/ptx/matrix/tensor_map.hpp"

namespace parity::ptx {

/// Bytes that are contiguous on both sides; or that lie outside of the tensor: a load fills them, a store skips them.
struct BoxRun {
  bool inside = false;
  uint64_t global = 0;  // address of the first byte, if inside
  uint32_t shared = 0;  // address of the first byte
  uint32_t bytes = 0;
  friend bool operator==(const BoxRun&, const BoxRun&) = default;
};

/// Bytes of a box in shared memory, those outside of the tensor included: what a load reports to its mbarrier.
[[nodiscard]] uint64_t box_bytes(const TensorMap& map);

/// The runs of the box at `coordinates` (innermost first, may be negative), at `shared` in shared memory; in the order
/// of the box. Along dimension i the box visits ceil(box / step) elements, `step` apart. Error{usage} if the number of
/// coordinates is not the rank, `shared` is not a multiple of 128, or the box is larger than 2^18 bytes.
/// Error{unsupported} for a swizzle whose pattern would not begin at `shared` (128B: multiples of 1024, 64B: 512, 32B:
/// 256), or whose rows are wider than the box's: the ISA does not say where bytes go then.
[[nodiscard]] std::vector<BoxRun> box_runs(const TensorMap& map, std::span<const int32_t> coordinates, uint32_t shared);

/// The code of one element outside of the tensor: zero, or the canonical NaN of its type. The ISA names a special NaN
/// but not its bits.
[[nodiscard]] uint64_t fill_code(const TensorMap& map);

}  // namespace parity::ptx

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Entry point of the driver: tensor maps. The PTX machine knows the rules of the driver's documentation.
#include <algorithm>
#include <cstring>

#include "optimized/cuda/testing/driver/entry.hpp"
#include "optimized/ptx/matrix/tensor_map.hpp"

using namespace parity::optimized::cuda::stand_in;
namespace ptx = parity::ptx;

PARITY_DRIVER_ENTRY int cuTensorMapEncodeTiled(void* map, int element, unsigned rank, void* address,
                                               const uint64_t* size, const uint64_t* stride, const unsigned* box,
                                               const unsigned* step, int interleave, int swizzle, int promotion,
                                               int fill) {
  return started([&](Gpu&) -> int {
    constexpr uintptr_t kAligned = 64;
    constexpr int kPromotions = 4;
    const bool known = rank >= 1 && rank <= ptx::kMostDimensions && promotion >= 0 && promotion < kPromotions;
    if (!known || reinterpret_cast<uintptr_t>(map) % kAligned != 0) return invalid_value;
    ptx::TensorMap given;
    given.element = static_cast<ptx::TensorElement>(element);
    given.rank = static_cast<int>(rank);
    given.address = reinterpret_cast<uint64_t>(address);
    std::copy_n(size, rank, given.size.begin());
    std::copy_n(stride, rank - 1, given.stride.begin());
    std::copy_n(box, rank, given.box.begin());
    std::copy_n(step, rank, given.step.begin());
    given.interleave = static_cast<ptx::TensorInterleave>(interleave);
    given.swizzle = static_cast<ptx::Swizzle>(swizzle);
    given.fill_with_nan = fill == 1;
    const ptx::TensorMapBytes bytes = ptx::encode_tensor_map(given);
    std::memcpy(map, bytes.data(), bytes.size());
    return success;
  });
}

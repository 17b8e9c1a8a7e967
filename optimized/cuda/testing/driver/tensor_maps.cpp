// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tensor maps in the PTX machine's own encoding: nobody else knows the driver's.
#include <bit>
#include <cstring>

#include "optimized/cuda/testing/driver/entry.hpp"
#include "optimized/ptx/matrix/tensor_map.hpp"

using namespace parity::optimized::cuda::stand_in;

namespace {

constexpr uintptr_t kMapAlignment = 64;  // bytes

}  // namespace

PARITY_DRIVER_ENTRY int cuTensorMapEncodeTiled(void* map, int element, uint32_t rank, uint64_t address,
                                               const uint64_t* size, const uint64_t* stride, const uint32_t* box,
                                               const uint32_t* step, int interleave, int swizzle, int, int fill) {
  return started([&](Gpu& one) -> int {
    namespace ptx = parity::ptx;
    const bool known = element >= 0 && element <= static_cast<int>(ptx::TensorElement::u6_align16) && swizzle >= 0 &&
                       swizzle <= static_cast<int>(ptx::Swizzle::b128) && interleave == 0 && fill == 0;
    if (!known || rank < 1 || rank > ptx::kMostDimensions || std::bit_cast<uintptr_t>(map) % kMapAlignment != 0)
      return invalid_value;
    ptx::TensorMap tiled;
    tiled.element = static_cast<ptx::TensorElement>(element);
    tiled.swizzle = static_cast<ptx::Swizzle>(swizzle);
    tiled.rank = static_cast<int>(rank);
    tiled.address = address;
    for (uint32_t axis = 0; axis < rank; ++axis) {
      tiled.size[axis] = size[axis];
      tiled.box[axis] = box[axis];
      tiled.step[axis] = step[axis];
      if (axis > 0) tiled.stride[axis - 1] = stride[axis - 1];
    }
    if (!holds(one, address, 1)) return invalid_value;
    const ptx::TensorMapBytes bytes = ptx::encode_tensor_map(tiled);  // its errors are invalid_value, too
    std::memcpy(map, bytes.data(), bytes.size());
    return success;
  });
}

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/launch.hpp"

#include <limits>

namespace parity::optimized::cuda {

PlaceTraffic CudaPlace::traffic() const {
  const std::scoped_lock lock(counting_);
  return traffic_;
}

void CudaPlace::count(const PlaceTraffic& more) const {
  const std::scoped_lock lock(counting_);
  traffic_ += more;
}

CudaPlace& cuda_place(const Context& context) {
  auto* place = dynamic_cast<CudaPlace*>(context.place);
  PARITY_CHECK(place != nullptr, internal,
               "a CUDA kernel was called at {}, which is neither a CUDA device nor the PTX machine",
               context.place->name());
  return *place;
}

uint32_t grid_extent(int64_t count) {
  PARITY_CHECK(count >= 0 && count <= std::numeric_limits<int32_t>::max(), unsupported,
               "a grid has {} blocks; a device takes at most 2147483647", count);
  return static_cast<uint32_t>(count);
}

}  // namespace parity::optimized::cuda

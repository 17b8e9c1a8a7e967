// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How a kernel reports an operand for which it has no result, such as an id out of range.
#pragma once

#include <cstdint>

#ifdef __CUDACC__

namespace parity::optimized::cuda {

/// Reports an index to the host, which sees the smallest one that any thread reports. `word` is Refusal::word(), and 0
/// at first.
__device__ inline void refuse(unsigned long long* word, int64_t index) {
  atomicMax(word, ~static_cast<unsigned long long>(index));
}

}  // namespace parity::optimized::cuda

#else

#include <optional>

#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {

class Refusal {
 public:
  explicit Refusal(const Context& context)
      : place_(cuda_place(context)), word_(context.workspace->take(sizeof(unsigned long long))) {
    place_.clear(word_, sizeof(unsigned long long));
  }
  [[nodiscard]] unsigned long long* word() const { return reinterpret_cast<unsigned long long*>(word_); }
  /// Called after the kernels: the index that one of them reported, if any. Only the host can throw an error for it.
  [[nodiscard]] std::optional<int64_t> first() const {
    unsigned long long found = 0;
    place_.read(reinterpret_cast<std::byte*>(&found), word_, sizeof found);
    if (found == 0) return std::nullopt;
    return static_cast<int64_t>(~found);
  }
  /// Returns the element of an operand at that place.
  [[nodiscard]] int64_t value(const int64_t* at) const {
    int64_t value = 0;
    place_.read(reinterpret_cast<std::byte*>(&value), reinterpret_cast<const std::byte*>(at), sizeof value);
    return value;
  }

 private:
  CudaPlace& place_;
  std::byte* word_;
};

}  // namespace parity::optimized::cuda

#endif

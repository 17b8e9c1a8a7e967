// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The second half of a norm by the root of the mean square: what is done to each element of a block's row.
#pragma once

#include "optimized/cuda/device/element.cuh"

namespace parity::optimized::cuda {

/// `squares`: the sum over row blockIdx.x of x. A thread reads the same elements as in a loop over h from threadIdx.x.
template <class T, class Parameters>
__device__ void write_normed(const Parameters& p, const Operand<2>& x, float squares) {
  const int64_t n = blockIdx.x;
  const float inverse = 1.0F / sqrtf(squares / static_cast<float>(p.width) + p.eps);
  for (int64_t h = threadIdx.x; h < p.width; h += blockDim.x) {
    const float gain = p.gain_offset + widen(*at<T>(p.weight, h));
    *at<T>(p.out, n, h) = narrow<T>(widen(*at<T>(x, n, h)) * inverse * gain);
  }
}

}  // namespace parity::optimized::cuda

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The rotation of a row's first channels, by the threads that share out the row.
#pragma once

#include "optimized/cuda/device/row_units.cuh"

namespace parity::optimized::cuda {

/// Channels i and i + half turn by angles of their own, those from 2 half on stay. `count` divides half.
template <int count, class T, class Table, class Row>
__device__ void turn_row(const Row& row, const PlainRow<Table>& cos, const PlainRow<Table>& sin, T* out,
                         int64_t out_stride, int64_t half, int64_t width) {
  const int64_t pairs = half / count, units = pairs + (width - 2 * half) / count;
  for (int64_t unit = threadIdx.x; unit < units; unit += blockDim.x) {
    const int64_t i = unit < pairs ? unit * count : 2 * half + (unit - pairs) * count;
    float low[count];
    row.template load<count>(i, low);
    if (unit >= pairs) {
      store(out, out_stride, i, low, true);
      continue;
    }
    float high[count], c[count], s[count], turned[count];
    row.template load<count>(half + i, high);
    cos.template load<count>(i, c);
    sin.template load<count>(i, s);
#pragma unroll
    for (int k = 0; k < count; ++k) turned[k] = low[k] * c[k] - high[k] * s[k];
    store(out, out_stride, i, turned, true);
    cos.template load<count>(half + i, c);
    sin.template load<count>(half + i, s);
#pragma unroll
    for (int k = 0; k < count; ++k) turned[k] = high[k] * c[k] + low[k] * s[k];
    store(out, out_stride, half + i, turned, true);
  }
  for (int64_t i = 2 * half + (units - pairs) * count + threadIdx.x; i < width; i += blockDim.x) {
    float rest[1];
    row.template load<1>(i, rest);
    store(out, out_stride, i, rest, true);
  }
}

}  // namespace parity::optimized::cuda

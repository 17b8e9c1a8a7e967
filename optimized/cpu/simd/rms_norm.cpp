// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/rms_norm_rows.hpp"
#include "optimized/cpu/simd/vector.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

/// Four accumulators hide the latency of the additions.
template <class T>
float mean_square(const T* x, int64_t width) {
  constexpr int kChains = 4;
  Floats total[kChains] = {};
  int64_t h = 0;
  for (; h + kChains * kLanes <= width; h += kChains * kLanes) {
    for (int c = 0; c < kChains; ++c) {
      const Floats v = load(x + h + c * kLanes);
      total[c] = v * v + total[c];
    }
  }
  for (; h + kLanes <= width; h += kLanes) {
    const Floats v = load(x + h);
    total[0] = v * v + total[0];
  }
  const Floats tail = load_some(x + h, width - h);
  total[1] = tail * tail + total[1];
  return sum((total[0] + total[1]) + (total[2] + total[3])) / static_cast<float>(width);
}

template <class T>
void rms_norm(const RmsNormRows<T>& r) {
  for (int64_t n = r.first; n < r.last; ++n) {
    const T* x = r.x + n * r.x_stride;
    T* out = r.out + n * r.out_stride;
    const float inverse = 1.0F / __builtin_sqrtf(mean_square(x, r.width) + r.eps);
    int64_t h = 0;
    for (; h + kLanes <= r.width; h += kLanes)
      store(out + h, load(x + h) * inverse * (load(r.weight + h) + r.gain_offset));
    const int64_t rest = r.width - h;
    store_some(out + h, load_some(x + h, rest) * inverse * (load_some(r.weight + h, rest) + r.gain_offset), rest);
  }
}

}  // namespace

void rms_norm_f32(const RmsNormRows<float>& args) { rms_norm(args); }
void rms_norm_bf16(const RmsNormRows<BFloat16>& args) { rms_norm(args); }

}  // namespace parity::cpu::PARITY_LEVEL

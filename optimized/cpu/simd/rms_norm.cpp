// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/norm/rms_norm_rows.hpp"
#include "optimized/cpu/simd/norm.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

template <class T>
void rms_norm(const RmsNormRows<T>& r) {
  for (int64_t n = r.first; n < r.last; ++n) {
    T* out = r.out + n * r.out_stride;
    const Normed<T> row(r.x + n * r.x_stride, r.weight, r.width, r.eps, r.gain_offset, out);
    write_row(row, out, 0, r.width, n + 1 < r.last ? row.x + r.x_stride : row.x);
  }
}

/// Writes the rounded sum, and norms the rounded sum, because other nodes read it too.
template <class T>
void add_norm(const AddNormRows<T>& r) {
  for (int64_t n = r.first; n < r.last; ++n) {
    const Added<T> both{r.residual + n * r.residual_stride, r.branch + n * r.branch_stride};
    T* total = r.sum + n * r.sum_stride;
    write_row(both, total, 0, r.width);
    T* out = r.out + n * r.out_stride;
    write_row(Normed<T>(total, r.weight, r.width, r.eps, r.gain_offset, out), out, 0, r.width,
              n + 1 < r.last ? both.a + r.residual_stride : both.a);
  }
}

}  // namespace

void rms_norm_f32(const RmsNormRows<float>& args) { rms_norm(args); }
void rms_norm_bf16(const RmsNormRows<BFloat16>& args) { rms_norm(args); }
void add_norm_f32(const AddNormRows<float>& args) { add_norm(args); }
void add_norm_bf16(const AddNormRows<BFloat16>& args) { add_norm(args); }

}  // namespace parity::cpu::PARITY_LEVEL

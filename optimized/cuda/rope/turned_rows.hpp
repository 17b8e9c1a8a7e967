// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rows of heads and tokens whose first channels turn by the token's angles: as they are, or normed on the way.
#pragma once

#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

struct TurnedRowsParameters {
  Operand<4> x, out;                                                                                     // (B, A, S, D)
  Operand<3> cos, sin;                                                                                      // (B, S, R)
  int64_t rows, heads, tokens, width, half;  // rows: of all sequences, heads and tokens
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/turned_row.cuh"

namespace parity::optimized::cuda {

/// normed(x) is what the rotation reads of the plain row x. All threads call it: those after the last row with the last.
template <class T, class Table, class Normed>
__device__ void turn_rows(const TurnedRowsParameters& p, const Normed& normed) {
  const int64_t own = row_of_thread(), row = own < p.rows ? own : p.rows - 1;
  const int64_t s = row % p.tokens, head = row / p.tokens, a = head % p.heads, b = head / p.heads;
  const auto x = normed(PlainRow<T>{at<T>(p.x, b, a, s), p.x.stride[3], p.vectors});
  const PlainRow<Table> cos{at<Table>(p.cos, b, s), p.cos.stride[2], p.vectors};
  const PlainRow<Table> sin{at<Table>(p.sin, b, s), p.sin.stride[2], p.vectors};
  if (own >= p.rows) return;
  T* out = at<T>(p.out, b, a, s);
  if (p.vectors) {
    turn_row<kVector<T>>(x, cos, sin, out, p.out.stride[3], p.half, p.width);
  } else {
    turn_row<1>(x, cos, sin, out, p.out.stride[3], p.half, p.width);
  }
}

template <class T, class Table>
__device__ void turn_plain_rows(const TurnedRowsParameters& p) {
  turn_rows<T, Table>(p, [](const PlainRow<T>& x) { return x; });
}

}  // namespace parity::optimized::cuda

#else

#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {

template <class T, class Table>
[[nodiscard]] TurnedRowsParameters turned_rows(const Span<T, 4>& x, const Span<Table, 3>& cos,
                                               const Span<Table, 3>& sin, const Span<T, 4>& out) {
  const auto& [batch, heads, tokens, width] = x.extent;
  const int64_t half = cos.extent[2] / 2;
  const bool fits = cos.extent[0] == batch && cos.extent[1] == tokens && 2 * half <= width;
  PARITY_CHECK(fits && sin.extent == cos.extent && out.extent == x.extent, internal,
               "tables of {} angles for {} tokens do not fit rows of {} channels for {} tokens", cos.extent[2],
               cos.extent[1], width, tokens);
  const bool vectors =
      half % kVectorElements<T> == 0 && has_vectors(x) && has_vectors(out) && has_vectors(cos) && has_vectors(sin);
  return {operand(x), operand(out), operand(cos), operand(sin), width == 0 ? 0 : batch * heads * tokens,
          heads,      tokens,       width,        half,         vectors};
}

/// Units of a row that turn_row shares out; `count` elements in each.
[[nodiscard]] inline int64_t turned_units(const TurnedRowsParameters& p, int64_t count) {
  return (p.width - p.half) / count;
}
template <class T>
[[nodiscard]] int64_t turned_units(const TurnedRowsParameters& p) {
  return turned_units(p, p.vectors ? kVectorElements<T> : 1);
}

/// Calls run("name_f32", cos, sin); tables of rows in bf16 may be in binary32: "name_mixed".
template <class T, int rank, class Run>
void with_tables(const std::string& name, const TensorView& cos, const TensorView& sin, const Run& run) {
  if (cos.dtype == DType::f32 && !std::is_same_v<T, float>)
    return run(name + "_mixed", cos.as<float, rank>(), sin.as<float, rank>());
  run(kernel_name<T>(name), cos.as<T, rank>(), sin.as<T, rank>());
}

}  // namespace parity::optimized::cuda

#endif

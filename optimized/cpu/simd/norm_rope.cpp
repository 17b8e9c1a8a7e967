// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary positions of plain rows, and of rows that are normed on the way.
#include "optimized/cpu/rope/rope_rows.hpp"
#include "optimized/cpu/simd/rope.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

template <class Row, class T, class Table>
[[gnu::always_inline]] inline void turn_one(const RopeRows<T, Table>& r, const Row& row, int64_t head, int64_t s) {
  turn(row, r.cos + s * r.cos_token, r.sin + s * r.sin_token, r.out + head * r.out_head + s * r.out_token, r.half,
       r.width);
}

template <class T, class Table>
void partial_rope(const RopeRows<T, Table>& r) {
  for (int64_t row = r.first; row < r.last; ++row) {
    const int64_t head = row / r.tokens, s = row % r.tokens;
    turn_one(r, Plain<T>{r.x + head * r.x_head + s * r.x_token}, head, s);
  }
}

constexpr int64_t kAhead = 2048;  // bytes

/// Rows in the order (token, head), in which a projection writes them contiguously.
template <class T, class Table>
void norm_rope(const NormRopeRows<T, Table>& a) {
  const RopeRows<T, Table>& r = a.rope;
  for (int64_t row = r.first; row < r.last; ++row) {
    const int64_t s = row / a.heads, head = row % a.heads;
    const T* x = r.x + head * r.x_head + s * r.x_token;
    prefetch_lines<false>(x + kAhead / static_cast<int64_t>(sizeof(T)), r.width);
    turn_one(r, Normed<T>(x, a.weight, r.width, a.eps, a.gain_offset), head, s);
  }
}

}  // namespace

void partial_rope_f32(const RopeSingle& args) { partial_rope(args); }
void partial_rope_bf16(const RopeHalf& args) { partial_rope(args); }
void partial_rope_mixed(const RopeMixed& args) { partial_rope(args); }
void norm_rope_f32(const NormRopeSingle& args) { norm_rope(args); }
void norm_rope_bf16(const NormRopeHalf& args) { norm_rope(args); }
void norm_rope_mixed(const NormRopeMixed& args) { norm_rope(args); }

}  // namespace parity::cpu::PARITY_LEVEL

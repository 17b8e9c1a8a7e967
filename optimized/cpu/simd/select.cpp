// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/index/select_rows.hpp"
#include "optimized/cpu/simd/tile.hpp"
#include "optimized/cpu/simd/top_sixteen.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

constexpr float kInfinity = __builtin_inff();

void force(float* row, int64_t first, int64_t last) {
  for (int64_t n = first; n < last; ++n) row[n] = kInfinity;
}

/// Copies the row's scores with forced blocks, and fills up with -inf. Returns false if a score is NaN.
bool prepare(const SelectRows& a, int64_t s, float* row) {
  const float* scores = a.scores + s * a.score_row;
  Floats doubt[2] = {};  // zero unless a score is NaN
  int64_t n = 0;
  for (; n + kLanes <= a.count; n += kLanes) {
    const Floats v = load(scores + n);
    doubt[0] = v == v ? doubt[0] : v;
    store(row + n, v);
  }
  for (int64_t i = n; i < n + 2 * kLanes; ++i) row[i] = -kInfinity;
  for (; n < a.count; ++n) {
    row[n] = scores[n];
    if (row[n] != row[n]) doubt[1] = all(row[n]);
  }
  const int64_t own = a.positions[s * a.position] / a.block_size;
  if (a.local_blocks > 0) {
    const int64_t from = own - a.local_blocks + 1;
    force(row, from > 0 ? from : 0, own > 0 ? own + 1 : 1);
  }
  force(row, 0, a.init_blocks < own + 1 ? a.init_blocks : own + 1);
  return !any_nan<2>(doubt);
}

/// Whether x counts as more than y; NaN is more than any number and equal to NaN.
bool more(float x, float y) { return x != x ? y == y : x > y; }

/// Selects for any k, by inserting into a descending list. Of equal scores the first comes first.
void insert_largest(const SelectRows& a, const float* row, float* values, int32_t* ids, int64_t* out) {
  const int64_t most = a.top_k < a.count ? a.top_k : a.count;
  int64_t held = 0;
  for (int64_t n = 0; n < a.count && most > 0; ++n) {
    const float value = row[n];
    if (held == most && !more(value, values[held - 1])) continue;
    int64_t at = held < most ? held++ : held - 1;
    for (; at > 0 && more(value, values[at - 1]); --at) {
      values[at] = values[at - 1];
      ids[at] = ids[at - 1];
    }
    values[at] = value;
    ids[at] = static_cast<int32_t>(n);
  }
  for (int64_t t = 0; t < a.slots; ++t) out[t] = t < held && values[t] != -kInfinity ? ids[t] : -1;
}

/// The queries that are selected together.
struct Batch {
  int64_t count;
  float* row[kSelectBatch];
  float* values[kSelectBatch];
  int32_t* ids[kSelectBatch];
  int64_t* out[kSelectBatch];
  bool numbers[kSelectBatch];  // no score is NaN
};

Batch batch_of(const SelectRows& a, int64_t first) {
  Batch batch;
  batch.count = first + kSelectBatch < a.last ? kSelectBatch : a.last - first;
  auto* each = reinterpret_cast<float*>(a.scratch);
  const int64_t padded = select_padded(a.count);
  for (int64_t i = 0; i < batch.count; ++i, each += 3 * padded) {
    batch.row[i] = each;
    batch.values[i] = each + padded;
    batch.ids[i] = reinterpret_cast<int32_t*>(each + 2 * padded);
    batch.out[i] = a.blocks + (first + i) * a.block_row;
    batch.numbers[i] = prepare(a, first + i, batch.row[i]);
    if (a.forced != nullptr)
      std::memcpy(a.forced + (first + i) * a.forced_row, each, static_cast<size_t>(a.count) * sizeof *each);
  }
  return batch;
}

#ifdef PARITY_LEVEL_avx2
bool select_sixteen(const SelectRows&, const Batch&) { return false; }
#else
/// Runs each phase for all queries of the batch: a phase is a chain of dependent instructions, and the chains overlap.
bool select_sixteen(const SelectRows& a, const Batch& batch) {
  if (a.top_k > 16 || a.count == 0) return false;
  const int64_t vectors = (a.count + 15) / 16;
  float bound[kSelectBatch];
  int64_t left[kSelectBatch];
  for (int64_t i = 0; i < batch.count; ++i) bound[i] = bound_of(batch.row[i], vectors);
  for (int64_t i = 0; i < batch.count; ++i)
    left[i] = candidates_of(batch.row[i], vectors, bound[i], batch.values[i], batch.ids[i]);
  for (int64_t i = 0; i < batch.count; ++i) {
    if (batch.numbers[i]) keep_sixteen(batch.values[i], batch.ids[i], left[i]);
  }
  for (int64_t i = 0; i < batch.count; ++i) {
    if (a.slots == 16 && a.top_k == 16) {
      write_ranked(batch.values[i], batch.ids[i], batch.out[i]);
      continue;
    }
    int64_t ranked[16];
    write_ranked(batch.values[i], batch.ids[i], ranked);
    for (int64_t t = 0; t < a.slots; ++t) batch.out[i][t] = t < a.top_k && t < 16 ? ranked[t] : -1;
  }
  return true;
}
#endif

}  // namespace

void select_rows(const SelectRows& a) {
  for (int64_t first = a.first; first < a.last; first += kSelectBatch) {
    const Batch batch = batch_of(a, first);
    const bool done = select_sixteen(a, batch);
    for (int64_t i = 0; i < batch.count; ++i) {
      if (!done || !batch.numbers[i]) insert_largest(a, batch.row[i], batch.values[i], batch.ids[i], batch.out[i]);
    }
  }
}

}  // namespace parity::cpu::PARITY_LEVEL

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A block of tokens without a past: what it adds to the state, and what its rows put out.
#pragma once

#include "optimized/cuda/device/lightning_stage.cuh"

namespace parity::optimized::cuda {

/// A tile of (k * key_decay)^T v: channels of keys by channels of values.
template <class T, class Tile>
__device__ void lightning_increment(const LightningParameters& p, char* memory) {
  const LightningBlock<T> block(p, blockIdx.x);
  const int64_t across = (p.width + kLightningSide - 1) / kLightningSide;
  const int64_t d = blockIdx.y / across * kLightningSide, e = blockIdx.y % across * kLightningSide;
  TileSums<LightningTile> sums;
  for (int64_t i = 0; i < block.count; i += kDepth<Tile>) {
    add_filled<Tile>(sums, memory, [&](char* left, char* right) {
      stage_columns<Tile, kVector<T>>(left, [&](int token, int row, float(&numbers)[kVector<T>]) {
        block.k.load(i + token, d + row, numbers);
        const int64_t place = p.size - block.count + i + token;
        const float decay = i + token < block.count ? load_at(p.key_decay, {block.a, place}) : 0.0F;
#pragma unroll
        for (float& number : numbers) number = rounded<T>(p.round.key, number * decay);
      });
      stage_columns<Tile, kVector<T>>(
          right, [&](int token, int row, float(&numbers)[kVector<T>]) { block.v.load(i + token, e + row, numbers); });
    });
  }
  sums.each([&](int row, int column, float first, float second) {
    float* to = block.cells + (d + row) * p.width + e + column;
    if (d + row < p.width && e + column < p.width) to[0] = rounded<T>(p.round.increment, first);
    if (d + row < p.width && e + column + 1 < p.width) to[1] = rounded<T>(p.round.increment, second);
  });
}

/// A tile of the block's rows: tokens from `i` on by channels from `e` on.
template <class T, class Tile>
class LightningRowTile {
 public:
  __device__ LightningRowTile(const LightningParameters& p, char* memory)
      : p_(p), memory_(memory), block_(p, blockIdx.x / tiles(p.size)) {
    i_ = blockIdx.x % tiles(p.size) * kLightningSide;
    e_ = blockIdx.y * kLightningSide;
  }
  __device__ static int64_t tiles(int64_t count) { return (count + kLightningSide - 1) / kLightningSide; }

  __device__ void run() {
    if (i_ >= block_.count) return;
    for (int64_t j = 0; j < block_.count; j += kLightningSide) {
      TileSums<LightningTile> scores;
      for (int64_t d = 0; d < p_.width; d += kDepth<Tile>) add_scores(scores, j, d);
      weigh(scores, j);
      for (int part = 0; part < kLightningSide; part += kDepth<Tile>) add_values(scores, j, part);
    }
    TileSums<LightningTile> inter;
    for (int64_t d = 0; d < p_.width; d += kDepth<Tile>) add_state(inter, d);
    write(inter);
  }

 private:
  __device__ void add_scores(TileSums<LightningTile>& scores, int64_t j, int64_t d) {
    add_filled<Tile>(scores, memory_, [&](char* left, char* right) {
      stage_rows<Tile, kVector<T>>(left, [&](int row, int channel, float(&numbers)[kVector<T>]) {
        block_.q.load(i_ + row, d + channel, numbers);
      });
      stage_rows<Tile, kVector<T>>(right, [&](int row, int channel, float(&numbers)[kVector<T>]) {
        block_.k.load(j + row, d + channel, numbers);
      });
    });
  }

  __device__ float weight(int64_t row, int64_t column, float score) const {
    if (row >= block_.count || column >= block_.count) return 0.0F;
    const float decay = load_at(p_.diagonal, {block_.a, row, column});
    return rounded<T>(p_.round.decayed_score, rounded<T>(p_.round.score, score) * decay);
  }
  /// Scores become weights where they are.
  __device__ void weigh(TileSums<LightningTile>& scores, int64_t j) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int high = 0; high < LightningTile::kHigh; ++high) {
#pragma unroll
      for (int wide = 0; wide < LightningTile::kWide; ++wide) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int row = scores.first_row() + 16 * high + 8 * (k / 2) + lane / 4;
          const int column = scores.first_column() + 8 * wide + lane % 4 * 2 + k % 2;
          float& score = scores.of[high][wide][k];
          score = weight(i_ + row, j + column, score);
        }
      }
    }
  }

  __device__ void add_values(const TileSums<LightningTile>& weights, int64_t j, int part) {
    add_filled<Tile>(intra_, memory_, [&](char* left, char* right) {
      weights.each([&](int row, int column, float first, float second) {
        const int channel = column - part;
        if (channel < 0 || channel >= kDepth<Tile>) return;
        auto* to = reinterpret_cast<Tile*>(left + place_of(row, channel / kVector<Tile>)) + channel % kVector<Tile>;
        to[0] = narrow<Tile>(first);
        to[1] = narrow<Tile>(second);
      });
      stage_columns<Tile, kVector<T>>(right, [&](int token, int row, float(&numbers)[kVector<T>]) {
        block_.v.load(j + part + token, e_ + row, numbers);
      });
    });
  }

  __device__ void add_state(TileSums<LightningTile>& inter, int64_t d) {
    add_filled<Tile>(inter, memory_, [&](char* left, char* right) {
      stage_rows<Tile, kVector<T>>(left, [&](int row, int channel, float(&numbers)[kVector<T>]) {
        block_.q.load(i_ + row, d + channel, numbers);
        const float decay = i_ + row < block_.count ? load_at(p_.query_decay, {block_.a, i_ + row}) : 0.0F;
#pragma unroll
        for (int k = 0; k < kVector<T>; ++k)  // padding stays 0: times an infinite decay it would be NaN
          numbers[k] = d + channel + k < p_.width ? rounded<T>(p_.round.query, numbers[k] * decay) : 0.0F;
      });
      stage_columns<Tile, 4>(right, [&](int channel, int row, float(&numbers)[4]) {
        const float* cells = block_.cells + (d + channel) * p_.width + e_ + row;
        const int64_t left_over = d + channel < p_.width ? p_.width - e_ - row : 0;
        if (left_over >= 4 && p_.width % 4 == 0) return load_vector(cells, numbers);
#pragma unroll
        for (int k = 0; k < 4; ++k) numbers[k] = k < left_over ? cells[k] : 0.0F;
      });
    });
  }

  __device__ void write(const TileSums<LightningTile>& inter) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int high = 0; high < LightningTile::kHigh; ++high) {
#pragma unroll
      for (int wide = 0; wide < LightningTile::kWide; ++wide) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int64_t row = i_ + inter.first_row() + 16 * high + 8 * (k / 2) + lane / 4;
          const int64_t e = e_ + inter.first_column() + 8 * wide + lane % 4 * 2 + k % 2;
          if (row < block_.count && e < p_.width) write_one(row, e, inter.of[high][wide][k], intra_.of[high][wide][k]);
        }
      }
    }
  }
  __device__ void write_one(int64_t row, int64_t e, float inter, float intra) const {
    const int64_t place[4]{block_.b, block_.a, block_.first + row, e};
    const float own = rounded<T>(p_.round.intra, intra), before = rounded<T>(p_.round.inter, inter);
    store_at(p_.intra, place, own);
    store_at(p_.inter, place, before);
    *at<T>(slice<T>(slice<T>(p_.out, block_.b), block_.a), place[2], e) = narrow<T>(before + own);
  }

  const LightningParameters& p_;
  char* memory_;
  LightningBlock<T> block_;
  int64_t i_, e_;
  TileSums<LightningTile> intra_;
};

}  // namespace parity::optimized::cuda

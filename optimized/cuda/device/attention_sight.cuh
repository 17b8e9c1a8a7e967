// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which slots the rows of a warp see, and through which tiles of slots a block goes. A tile lies within one key block;
// without lists all slots are one block.
#pragma once

#include "optimized/cuda/device/attention_lists.cuh"

namespace parity::optimized::cuda {

constexpr uint32_t kAllLanes = 0xFFFFFFFFU;

/// The lowest `count` bits.
__device__ inline uint64_t low_bits(int32_t count) {
  return count <= 0 ? 0 : count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

struct AttentionTile {
  int32_t block, part, first, count;  // `first`: its first slot
};

template <int keys>
__device__ AttentionTile attention_tile(const AttentionParameters& p, int32_t number) {
  if (number < 0) return {-1, p.parts - 1, 0, 0};
  const int32_t block = number / p.parts, part = number % p.parts, first = block * p.block_size + part * keys;
  return {block, part, first, min(min(keys, p.block_size - part * keys), p.slots - first)};
}

/// A lane's two rows.
template <int keys>
class AttentionSight {
 public:
  /// Rows [first, first + rows), of which a warp has kFragmentRows; `warp`: its number among them.
  __device__ AttentionSight(const AttentionParameters& p, const AttentionPlace& place, int64_t first, int rows,
                            int warp = static_cast<int>(threadIdx.x / kWarp))
      : p_(p), place_(place) {
    const auto lane = static_cast<int32_t>(threadIdx.x % kWarp);
    set_rows([&](int row) { return first + warp * kFragmentRows + row; });
    int32_t last = -1;
    for (int64_t token = first / p.heads + lane; token * p.heads < first + rows; token += kWarp)
      if (token * p.heads < p.rows) last = max(last, own_slot(token));
    last = __reduce_max_sync(kAllLanes, last);
    end_ = last < 0 ? 0 : tile_of(last) + 1;
  }

  /// Rows that need not be neighbours, and ask for every tile that they are shown: row(i) is the i-th of the warp's, p.rows
  /// where there is none.
  template <class Row>
  __device__ AttentionSight(const AttentionParameters& p, const AttentionPlace& place, const Row& row)
      : p_(p), place_(place), end_(kNoTile) {
    set_rows(row);
    listed_[0] = listed_[1] = true;
  }

  /// The first tile of the block's part of the work without lists.
  [[nodiscard]] __device__ int32_t begin() const { return place_.split; }
  [[nodiscard]] __device__ int32_t after(int32_t number) const { return number + p_.splits; }
  [[nodiscard]] __device__ bool ends_at(int32_t number) const { return number >= end_; }
  /// Behind the last tile that a row sees.
  [[nodiscard]] __device__ int32_t end() const { return end_; }

  /// With lists, instead of look_up: bit i of `tokens`: token `first` + i asks for the tile.
  __device__ void list(int64_t first, uint64_t tokens) {
#pragma unroll
    for (int i = 0; i < 2; ++i) listed_[i] = token_[i] >= first && (tokens >> (token_[i] - first) & 1U) != 0;
  }

  /// With lists: returns the next tile that rows of this warp need, and notes whether the lane's rows need this one. If
  /// no other block shares the row's tiles, lists are read once for each key block that the warp needs.
  __device__ int32_t look_up(int32_t number) {
    const AttentionTile tile = attention_tile<keys>(p_, number);
    if (p_.splits == 1 && !p_.self_visible && number >= 0) {
      if (number < next_) {
        listed_[0] = listed_[1] = false;
        return next_;
      }
      if (tile.part > 0) return next_ = tile.part + 1 < p_.parts ? number + 1 : later_;
    }
    return next_ = read_lists(number, tile);
  }

  /// Returns false if no row of the warp sees a slot of the tile. All lanes call it, after look_up if there are lists.
  __device__ bool look(const AttentionTile& tile) {
    const uint64_t there = columns_ & low_bits(tile.count) & unmasked(tile);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      seen_now_[i] = there & low_bits(own_[i] - tile.first + 1);
      if (p_.lists.data != nullptr && !listed_[i]) seen_now_[i] = 0;
      if (p_.pairs.data != nullptr) hide_pairs(i, tile.first);
      const bool asked = p_.lists.data == nullptr || listed_[i] || alone_[i];
      if (p_.self_visible && asked && own_[i] >= tile.first && own_[i] < tile.first + tile.count)
        seen_now_[i] |= columns_ & (uint64_t{1} << (own_[i] - tile.first));
      seen_[i] = seen_[i] || seen_now_[i] != 0;
      own_bits_[i] = seen_now_[i] >> (threadIdx.x % 4 * 2);
    }
    return __any_sync(kAllLanes, (seen_now_[0] | seen_now_[1]) != 0) != 0;
  }
  /// Whether the lane's row sees the i-th of the lane's columns.
  [[nodiscard]] __device__ bool sees(int row, int i) const {
    return (own_bits_[row] >> (i / 2 * kFragmentColumns + i % 2) & 1U) != 0;
  }
  /// Whether all rows of the warp see all of the tile.
  [[nodiscard]] __device__ bool sees_all() const {
    return __all_sync(kAllLanes, seen_now_[0] == columns_ && seen_now_[1] == columns_) != 0;
  }
  /// Bit r: row r of the warp has seen something.
  [[nodiscard]] __device__ uint32_t seeing() const {
    const uint32_t upper = __ballot_sync(kAllLanes, seen_[0]), lower = __ballot_sync(kAllLanes, seen_[1]);
    uint32_t rows = 0;
    for (int r = 0; r < 8; ++r) {
      if ((upper >> (4 * r) & 0xFU) != 0) rows |= 1U << r;
      if ((lower >> (4 * r) & 0xFU) != 0) rows |= 1U << (r + 8);
    }
    return rows;
  }

 private:
  /// Every lane of a row has a part of its list. `later_`: the first tile of the next block, if not of this one.
  __device__ int32_t read_lists(int32_t number, const AttentionTile& tile) {
    int32_t next = kNoTile, later = kNoTile;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int32_t place = kNoTile;  // of the tile's block in the row's list
      for (int32_t first = 0; first < p_.list_length; first += 4) {
        const auto t = static_cast<int32_t>(first + threadIdx.x % 4);
        const bool there = list_[i] != nullptr && t < p_.list_length;
        const int64_t block = there ? list_[i][t * p_.lists.stride[2]] : -1;
        const bool after = block > tile.block && block * p_.block_size < p_.slots, here = there && block == tile.block;
        if (here) place = min(place, t);
        const int32_t part = own_part(t, here ? tile.part + 1 : 0);
        const bool asks = (here || after) && part < p_.parts;
        const int32_t wanted = asks ? static_cast<int32_t>(block) * p_.parts + part : kNoTile;
        next = min(next, wanted);
        later = min(later, here ? kNoTile : wanted);
      }
      place = min(place, __shfl_xor_sync(kAllLanes, place, 1));
      place = min(place, __shfl_xor_sync(kAllLanes, place, 2));
      listed_[i] = place != kNoTile && own_part(place, tile.part) == tile.part;
      alone_[i] = p_.self_visible && place == kNoTile && place_.split == 0;
      if (p_.self_visible && place_.split == 0 && own_[i] >= 0 && tile_of(own_[i]) > number)
        next = min(next, tile_of(own_[i]));
    }
    later_ = static_cast<int32_t>(__reduce_min_sync(kAllLanes, static_cast<uint32_t>(later)));
    return static_cast<int32_t>(__reduce_min_sync(kAllLanes, static_cast<uint32_t>(next)));
  }

  template <class Row>
  __device__ void set_rows(const Row& row) {
    const auto lane = static_cast<int>(threadIdx.x % kWarp);
    columns_ = 0x0303030303030303U << (2U * (lane % 4));
    if (keys < 64) columns_ &= low_bits(keys);
#pragma unroll
    for (int i = 0; i < 2; ++i) set_row(i, row(lane / 4 + 8 * i));
  }

  __device__ void set_row(int i, int64_t row) {
    if (row >= p_.rows) return;
    const auto head = static_cast<int32_t>(place_.group * p_.heads + row % p_.heads);
    token_[i] = row / p_.heads;
    own_[i] = own_slot(token_[i]);
    if (p_.lists.data == nullptr) return;
    const int32_t list = place_.batch * p_.lists_per_batch + head / (p_.heads * p_.groups / p_.lists_per_batch);
    list_[i] = at<int64_t>(p_.lists, list, token_[i]);
  }
  [[nodiscard]] __device__ int32_t own_slot(int64_t token) const {
    if (!p_.causal) return p_.slots - 1;
    int64_t slot = p_.query_slot + token;
    if (p_.positions.data != nullptr) slot = *at<int64_t>(p_.positions, place_.batch, token);
    return static_cast<int32_t>(max(min(slot, int64_t{p_.slots} - 1), int64_t{-1}));
  }
  [[nodiscard]] __device__ int32_t tile_of(int32_t slot) const {
    return slot / p_.block_size * p_.parts + slot % p_.block_size / keys;
  }
  /// The first part from `from` on, of the block at place t of a list, that this split computes.
  [[nodiscard]] __device__ int32_t own_part(int32_t t, int32_t from) const {
    const auto turn =
        static_cast<int32_t>(static_cast<uint32_t>(t * p_.parts + from) % static_cast<uint32_t>(p_.splits));
    return from + place_.split - turn + (turn > place_.split ? p_.splits : 0);
  }
  /// Bit j: slot j of the tile is a token.
  [[nodiscard]] __device__ uint64_t unmasked(const AttentionTile& tile) const {
    if (p_.mask.data == nullptr) return ~uint64_t{0};
    uint64_t bits = 0;
    const int32_t count = min(tile.count, p_.masked_slots - tile.first);
    for (int half = 0; half < keys; half += 32) {
      const auto j = static_cast<int32_t>(half + threadIdx.x % kWarp);
      const bool token = j < count && *at<int64_t>(p_.mask, place_.batch, tile.first + j) != 0;
      bits |= uint64_t{__ballot_sync(kAllLanes, token)} << half;
    }
    return bits;
  }
  __device__ void hide_pairs(int i, int32_t first) {
    for (uint64_t rest = seen_now_[i]; rest != 0; rest &= rest - 1) {
      const int32_t j = __ffsll(static_cast<int64_t>(rest)) - 1;
      if (*at<int64_t>(p_.pairs, place_.batch, token_[i], first + j) == 0) seen_now_[i] &= ~(uint64_t{1} << j);
    }
  }

  const AttentionParameters& p_;
  const AttentionPlace& place_;
  uint64_t columns_, seen_now_[2]{}, own_bits_[2]{};  // bit j: slot j of the tile; own_bits_: from the lane's first on
  const int64_t* list_[2]{};
  int64_t token_[2]{};
  int32_t own_[2]{-1, -1}, end_, next_ = 0, later_ = kNoTile;
  bool seen_[2]{}, listed_[2]{}, alone_[2]{};
};

}  // namespace parity::optimized::cuda

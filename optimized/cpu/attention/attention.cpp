// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/attention/attention.hpp"

#include <omp.h>

#include "optimized/cpu/attention/attention_rows.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::cpu {
namespace {

void pack(const PackedChunk<float>& chunk) { attention_pack_f32(chunk); }
void pack(const PackedChunk<BFloat16>& chunk) { attention_pack_bf16(chunk); }
void open(const AttentionWindow<float>& window) { attention_open_f32(window); }
void open(const AttentionWindow<BFloat16>& window) { attention_open_bf16(window); }
void step(const AttentionStep<float>& args) { attention_step_f32(args); }
void step(const AttentionStep<BFloat16>& args) { attention_step_bf16(args); }
void close(const AttentionWindow<float>& window) { attention_close_f32(window); }
void close(const AttentionWindow<BFloat16>& window) { attention_close_bf16(window); }

/// The scratch memory of one thread.
struct Scratch {
  float *queries, *mixed, *reference, *total, *scores, *keys, *values;

  Scratch(Workspace& workspace, int64_t width, int64_t chunk) {
    const auto take = [&](int64_t words) { return workspace.take_elements<float>(static_cast<size_t>(words)); };
    const int64_t lanes = kWindowVectors * kMostLanes;
    queries = take(lanes * packed_row_words(width));
    mixed = take(lanes * packed_row_words(width));
    reference = take(lanes);
    total = take(lanes);
    scores = take(kScoreVectors * kMostChunkKeys * kMostLanes);
    keys = take(packed_keys_words(chunk, width));
    values = take(packed_values_words(chunk, width));
  }
};

template <class T>
class Attention {
 public:
  Attention(const AttentionOperands<T>& operands, Workspace& workspace)
      : x_(operands),
        heads_(x_.q.extent[1] / x_.k.extent[1]),
        rows_(x_.q.extent[2] * heads_),
        window_rows_(attention_vectors<T>() * attention_lanes()),
        width_(x_.q.extent[3]),
        slots_(x_.k.extent[2]),
        blocks_((slots_ + x_.block_size - 1) / x_.block_size),
        chunk_(std::min(x_.block_size, attention_chunk_keys<T>())),
        chunks_((x_.block_size + chunk_ - 1) / chunk_) {
    if (rows_ >= kPackAhead * attention_lanes() && chunk_ >= kPackedKeys) {
      const auto count = static_cast<size_t>(x_.q.extent[0] * x_.k.extent[1] * blocks_ * chunks_);
      if (sizeof(T) < sizeof(float))
        keys_ = workspace.take_elements<float>(count * static_cast<size_t>(packed_keys_words(chunk_, width_)));
      values_ = workspace.take_elements<float>(count * static_cast<size_t>(packed_values_words(chunk_, width_)));
      special_ = workspace.take_elements<bool>(count);
    }
    for (int i = 0; i < omp_get_max_threads(); ++i) scratch_.emplace_back(workspace, width_, chunk_);
  }

  void run() const {
    const int64_t groups = x_.k.extent[1], sequences = x_.q.extent[0] * groups;  // a sequence for each key head
    if (values_ != nullptr) pack_all(sequences);
    const int64_t windows = (rows_ + window_rows_ - 1) / window_rows_;
    in_pieces(sequences * windows, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t sequence = i % sequences;
        window(sequence / groups, sequence % groups,
               (windows - 1 - i / sequences) * window_rows_);  // the longest windows first
      }
    });
  }

 private:
  static constexpr int64_t kPackAhead = 4;    // least vectors of rows for which chunks are packed once for all windows
  static constexpr int64_t kPackedKeys = 64;  // least keys of a chunk for that

  /// The position of a chunk: a block, and a part of the block.
  struct Chunk {
    int64_t block = -1, part = 0;
  };
  [[nodiscard]] int64_t start_of(const Chunk& at) const { return at.block * x_.block_size + at.part * chunk_; }

  /// Moves `at` to the next chunk that some row of the window may see. Returns false if there is none.
  bool advance(const WindowSight<T>& sight, Chunk& at) const {
    if (at.block >= 0 && ++at.part < chunks_ && start_of(at) < sight.end()) return true;
    for (at = {at.block + 1, 0}; at.block < blocks_ && start_of(at) < sight.end(); ++at.block) {
      if (sight.meets(at.block)) return true;
    }
    return false;
  }

  /// Returns the slots of the chunk at `place`, and memory for its packed keys and values.
  [[nodiscard]] PackedChunk<T> chunk_of(int64_t b, int64_t g, const Chunk& place, const Scratch& own) const {
    const int64_t first = start_of(place);
    const int64_t last = std::min({slots_, (place.block + 1) * x_.block_size, first + chunk_});
    PackedChunk<T> chunk{{&x_.k(b, g, first, 0), x_.k.stride[2]},
                         {&x_.v(b, g, first, 0), x_.v.stride[2]},
                         last - first,
                         width_,
                         own.keys,
                         own.values,
                         values_ != nullptr,
                         nullptr};
    if (values_ != nullptr) {
      const int64_t at = ((b * x_.k.extent[1] + g) * blocks_ + place.block) * chunks_ + place.part;
      if (keys_ != nullptr) chunk.keys = keys_ + at * packed_keys_words(chunk_, width_);
      chunk.values = values_ + at * packed_values_words(chunk_, width_);
      chunk.special = special_ + at;
    }
    return chunk;
  }

  void pack_all(int64_t sequences) const {
    const int64_t groups = x_.k.extent[1], each = blocks_ * chunks_;
    in_pieces(sequences * each, 8, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t sequence = i / each;
        const Chunk place{i % each / chunks_, i % chunks_};
        if (start_of(place) < slots_) pack(chunk_of(sequence / groups, sequence % groups, place, scratch_.front()));
      }
    });
  }

  void window(int64_t b, int64_t g, int64_t first) const {
    const Scratch& own = scratch_[static_cast<size_t>(omp_get_thread_num())];
    const int64_t rows = std::min(rows_ - first, window_rows_);
    WindowSight<T> sight(x_, b, g, first, rows);
    const AttentionWindow<T> w{&x_.q(b, g * heads_, 0, 0),
                               x_.q.stride[2],
                               x_.q.stride[1],
                               x_.q.stride[3],
                               &x_.out(b, 0, g * heads_, 0),
                               x_.out.stride[1],
                               x_.out.stride[2],
                               heads_,
                               first,
                               rows,
                               sight.vectors(),
                               width_,
                               static_cast<float>(x_.scale * 1.4426950408889634),
                               own.queries,
                               own.mixed,
                               own.reference,
                               own.total,
                               own.scores};
    open(w);
    Chunk next;
    for (bool more = advance(sight, next); more;) {
      const Chunk at = next;
      more = advance(sight, next);
      const auto chunk = chunk_of(b, g, at, own);
      if (!sight.look(at.block, start_of(at), chunk.count)) continue;
      const auto then = more ? chunk_of(b, g, next, own) : chunk;
      step(AttentionStep<T>{w, chunk, more ? &then : nullptr, sight.limits(), sight.visible()});
    }
    close(w);
    for (const int64_t row : sight.blind()) blind_row(b, g, first + row);
  }

  /// Writes the output of a row without visible slots: zeros, or all values' mean (weight rounded if normalise_first).
  void blind_row(int64_t b, int64_t g, int64_t row) const {
    const double even = 1.0 / static_cast<double>(slots_);
    const double weight = x_.zero_blind_rows ? 0.0 : x_.normalise_first ? round_to(kDTypeOf<T>, even) : even;
    for (int64_t d = 0; d < width_; ++d) {
      double total = 0.0;
      for (int64_t j = 0; j < slots_ && !x_.zero_blind_rows; ++j)
        total += load_element(kDTypeOf<T>, reinterpret_cast<const std::byte*>(&x_.v(b, g, j, d)));
      store_element(kDTypeOf<T>, reinterpret_cast<std::byte*>(&x_.out(b, row / heads_, g * heads_ + row % heads_, d)),
                    total * weight);
    }
  }

  const AttentionOperands<T>& x_;
  int64_t heads_, rows_, window_rows_, width_, slots_, blocks_, chunk_, chunks_;
  float *keys_ = nullptr, *values_ = nullptr;  // memory of chunks that are packed ahead
  bool* special_ = nullptr;
  std::vector<Scratch> scratch_;  // indexed by thread
};

}  // namespace

namespace {

/// Whether every query's list names all blocks up to the query's own block.
template <class T>
bool lists_hide_nothing(const AttentionOperands<T>& x) {
  const auto& lists = *x.lists;
  const int64_t slots = x.k.extent[2], each = lists.extent[0] / x.q.extent[0];
  const int64_t blocks = (slots + x.block_size - 1) / x.block_size;
  if (!x.positions && lists.extent[2] < blocks) return false;  // the last query needs all blocks
  std::vector<int64_t> seen(static_cast<size_t>(blocks), -1);  // for each block, the last row that listed it
  for (int64_t list = 0, row = 0; list < lists.extent[0]; ++list) {
    for (int64_t s = 0; s < lists.extent[1]; ++s, ++row) {
      const int64_t own = x.positions ? std::min((*x.positions)(list / each, s), slots - 1) : x.query_slot + s;
      const int64_t last = own < 0 ? -1 : own / x.block_size;
      int64_t missing = last + 1;
      for (int64_t t = 0; t < lists.extent[2] && missing > 0; ++t) {
        const int64_t block = lists(list, s, t);
        if (block < 0 || block > last || seen[static_cast<size_t>(block)] == row) continue;
        seen[static_cast<size_t>(block)] = row;
        --missing;
      }
      if (missing > 0) return false;
    }
  }
  return true;
}

}  // namespace

template <class T>
void attend(const AttentionOperands<T>& operands, Workspace& workspace) {
  if (operands.q.extent[0] == 0 || operands.q.extent[1] == 0 || operands.q.extent[2] == 0) return;
  AttentionOperands<T> x = operands;
  if (x.lists && lists_hide_nothing(x)) {
    x.lists.reset();
    x.block_size = x.k.extent[2];
  }
  Attention<T>(x, workspace).run();
}

template void attend(const AttentionOperands<float>&, Workspace&);
template void attend(const AttentionOperands<BFloat16>&, Workspace&);

}  // namespace parity::cpu

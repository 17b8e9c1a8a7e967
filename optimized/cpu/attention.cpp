// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/attention.hpp"

#include <omp.h>

#include "optimized/cpu/attention_rows.hpp"
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

/// Scratch memory of one thread.
struct Scratch {
  float *queries, *mixed, *largest, *total, *scores, *keys, *values;

  Scratch(Workspace& workspace, int64_t width) {
    const auto take = [&](int64_t words) { return workspace.take_elements<float>(static_cast<size_t>(words)); };
    const int64_t lanes = kWindowVectors * kMostLanes;
    queries = take(lanes * packed_row_words(width));
    mixed = take(lanes * packed_row_words(width));
    largest = take(lanes);
    total = take(lanes);
    scores = take(kGroupVectors * kChunkKeys * kMostLanes);
    keys = take(packed_keys_words(kChunkKeys, width));
    values = take(packed_values_words(kChunkKeys, width));
  }
};

template <class T>
class Attention {
 public:
  Attention(const AttentionOperands<T>& operands, Workspace& workspace)
      : x_(operands),
        heads_(x_.q.extent[1] / x_.k.extent[1]),
        rows_(x_.q.extent[2] * heads_),
        window_rows_(attention_vectors() * attention_lanes()),
        width_(x_.q.extent[3]),
        slots_(x_.k.extent[2]),
        blocks_((slots_ + x_.block_size - 1) / x_.block_size),
        chunk_((std::min(x_.block_size, kChunkKeys))),
        chunks_((x_.block_size + kChunkKeys - 1) / kChunkKeys) {
    if (rows_ >= kPackAhead * attention_lanes() && chunk_ >= kChunkKeys / 2) {
      const auto count = static_cast<size_t>(x_.q.extent[0] * x_.k.extent[1] * blocks_ * chunks_);
      if (sizeof(T) < sizeof(float))
        keys_ = workspace.take_elements<float>(count * static_cast<size_t>(packed_keys_words(chunk_, width_)));
      values_ = workspace.take_elements<float>(count * static_cast<size_t>(packed_values_words(chunk_, width_)));
      special_ = workspace.take_elements<bool>(count);
    }
    for (int i = 0; i < omp_get_max_threads(); ++i) scratch_.emplace_back(workspace, width_);
  }

  void run() const {
    const int64_t groups = x_.k.extent[1], pairs = x_.q.extent[0] * groups;
    if (values_ != nullptr) pack_all(pairs);
    const int64_t windows = (rows_ + window_rows_ - 1) / window_rows_;
    in_pieces(pairs * windows, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t pair = i % pairs;
        window(pair / groups, pair % groups, (windows - 1 - i / pairs) * window_rows_);  // the longest first
      }
    });
  }

 private:
  static constexpr int64_t kPackAhead = 4;  // vectors of rows from which on chunks are packed once for all windows

  /// Slots of a block's part; room for what is packed of it.
  [[nodiscard]] PackedChunk<T> chunk_of(int64_t b, int64_t g, int64_t block, int64_t part, const Scratch& own) const {
    const int64_t first = block * x_.block_size + part * kChunkKeys;
    const int64_t last = std::min({slots_, (block + 1) * x_.block_size, first + kChunkKeys});
    PackedChunk<T> chunk{{&x_.k(b, g, first, 0), x_.k.stride[2]},
                         {&x_.v(b, g, first, 0), x_.v.stride[2]},
                         last - first,
                         width_,
                         own.keys,
                         own.values,
                         values_ != nullptr,
                         nullptr};
    if (values_ != nullptr) {
      const int64_t at = ((b * x_.k.extent[1] + g) * blocks_ + block) * chunks_ + part;
      if (keys_ != nullptr) chunk.keys = keys_ + at * packed_keys_words(chunk_, width_);
      chunk.values = values_ + at * packed_values_words(chunk_, width_);
      chunk.special = special_ + at;
    }
    return chunk;
  }

  void pack_all(int64_t pairs) const {
    const int64_t groups = x_.k.extent[1], each = blocks_ * chunks_;
    in_pieces(pairs * each, 8, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t pair = i / each, block = i % each / chunks_, part = i % chunks_;
        if (block * x_.block_size + part * kChunkKeys >= slots_) continue;
        pack(chunk_of(pair / groups, pair % groups, block, part, scratch_.front()));
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
                               own.largest,
                               own.total,
                               own.scores};
    open(w);
    for (int64_t block = 0; block < blocks_ && block * x_.block_size < sight.end(); ++block) {
      for (int64_t part = 0; part < chunks_ && sight.meets(block); ++part) {
        const int64_t start = block * x_.block_size + part * kChunkKeys;
        if (start >= sight.end()) break;
        const auto chunk = chunk_of(b, g, block, part, own);
        if (!sight.look(block, start, chunk.count)) continue;
        step(AttentionStep<T>{w, chunk, sight.limits(), sight.visible()});
      }
    }
    close(w);
    for (const int64_t row : sight.blind()) blind_row(b, g, first + row);
  }

  /// Nothing, or the mean of all values; a softmax that is divided first has weights that T rounds.
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
  float *keys_ = nullptr, *values_ = nullptr;  // packed ahead
  bool* special_ = nullptr;
  std::vector<Scratch> scratch_;  // by thread
};

}  // namespace

template <class T>
void attend(const AttentionOperands<T>& operands, Workspace& workspace) {
  if (operands.q.extent[0] == 0 || operands.q.extent[1] == 0 || operands.q.extent[2] == 0) return;
  Attention<T>(operands, workspace).run();
}

template void attend(const AttentionOperands<float>&, Workspace&);
template void attend(const AttentionOperands<BFloat16>&, Workspace&);

}  // namespace parity::cpu

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A linear layer as pieces of work: tokens are packed once, then each piece of rows meets all of them. Whoever gives the rows
// may make them when they are asked for.
#pragma once

#include <vector>

#include <omp.h>

#include "core/tensor.hpp"
#include "core/workspace.hpp"
#include "optimized/cpu/parallel.hpp"
#include "optimized/cpu/product_tile.hpp"

namespace parity::cpu {

inline void pack_tokens(const PackSingle& args) { pack_tokens_f32(args); }
inline void pack_tokens(const PackHalf& args) { pack_tokens_bf16(args); }
inline void linear_tile(const LinearSingle& args) { linear_tile_f32(args); }
inline void linear_tile(const LinearHalf& args) { linear_tile_bf16(args); }

template <class T>
class LinearCall {
 public:
  /// x (N, H), out (N, F), rows of both dense; `bias` (F) or null.
  LinearCall(const Span<T, 2>& x, const Span<T, 2>& out, const float* bias, Workspace& workspace)
      : width_(x.extent[1]), rows_(out.extent[1]), bias_(bias) {
    PARITY_CHECK((width_ <= 1 || x.stride[1] == 1) && (rows_ <= 1 || out.stride[1] == 1), internal,
                 "linear reads rows whose channels lie side by side");
    for (int64_t n = 0; n < x.extent[0]; ++n) {
      tokens_.push_back(x.data + n * x.stride[0]);
      out_.push_back(out.data + n * out.stride[0]);
    }
    const auto threads = static_cast<size_t>(omp_get_max_threads());
    scratch_ = workspace.take_elements<float>(threads * kProductFloats);
    const size_t tiles =
        count() < kFewTokens ? 0 : static_cast<size_t>((std::min(count(), kPanelTokens) + tile_ - 1) / tile_);
    packed_ = workspace.take_elements<float>(tiles * static_cast<size_t>(packed_floats(width_)));
  }

  /// weights(first, last, thread) -> rows [first, last) of the weight, dense, until that thread asks again.
  template <class Weights>
  void run(const Weights& weights) {
    for (int64_t panel = 0; panel < count(); panel += kPanelTokens) {
      const int64_t end = std::min(count(), panel + kPanelTokens);
      pack(panel, end);
      in_pieces(rows_, kPieceRows, [&](int64_t first, int64_t last) {
        const int thread = omp_get_thread_num();
        const T* rows = weights(first, last, thread);
        for (int64_t at = panel; at < end; at += tile_)
          one_tile(at, std::min(end, at + tile_), panel, rows, first, last);
      });
    }
  }

 private:
  static constexpr int64_t kPanelTokens = 512;  // tokens: their packed tiles stay in a cache that threads share

  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(tokens_.size()); }
  [[nodiscard]] float* tile_at(int64_t at, int64_t panel) const {
    return packed_ + (at - panel) / tile_ * packed_floats(width_);
  }

  void pack(int64_t panel, int64_t end) {
    in_pieces((end - panel + tile_ - 1) / tile_, 1, [&](int64_t tile, int64_t) {
      const int64_t at = panel + tile * tile_, some = std::min(tile_, end - at);
      if (some >= kFewTokens)
        pack_tokens(PackTokens<T>{&tokens_[static_cast<size_t>(at)], some, width_, 0, width_, tile_at(at, panel)});
    });
  }

  void one_tile(int64_t at, int64_t end, int64_t panel, const T* rows, int64_t first, int64_t last) const {
    const auto n = static_cast<size_t>(at);
    linear_tile(LinearTile<T>{.tokens = &tokens_[n],
                              .packed = end - at < kFewTokens ? nullptr : tile_at(at, panel),
                              .weight = rows,
                              .scratch = scratch_ + kProductFloats * omp_get_thread_num(),
                              .count = end - at,
                              .width = width_,
                              .first = 0,
                              .last = last - first,
                              .bias = bias_ == nullptr ? nullptr : bias_ + first,
                              .out = &out_[n],
                              .column = first});
  }

  int64_t width_, rows_, tile_ = tile_tokens();
  const float* bias_;
  std::vector<const T*> tokens_;
  std::vector<T*> out_;
  float* scratch_ = nullptr;
  float* packed_ = nullptr;
};

}  // namespace parity::cpu

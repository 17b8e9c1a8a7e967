// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A linear layer in pieces of work: tokens are packed once, and each piece of rows is multiplied by all of them. The
// caller may compute the rows of a piece when run() asks for them.
#pragma once

#include <vector>

#include "core/tensor.hpp"
#include "core/workspace.hpp"
#include "optimized/cpu/linear/product_panel.hpp"

namespace parity::cpu {

inline void linear_panel(const LinearSingle& args) { linear_panel_f32(args); }
inline void linear_panel(const LinearHalf& args) { linear_panel_bf16(args); }

template <class T>
class LinearCall {
 public:
  /// x (N, H) and out (N, F) with contiguous rows; `bias` (F) or null.
  LinearCall(const Span<T, 2>& x, const Span<T, 2>& out, const float* bias, Workspace& workspace)
      : width_(x.extent[1]), rows_(out.extent[1]), bias_(bias) {
    PARITY_CHECK((width_ <= 1 || x.stride[1] == 1) && (rows_ <= 1 || out.stride[1] == 1), internal,
                 "linear needs rows with contiguous channels");
    for (int64_t n = 0; n < x.extent[0]; ++n) {
      tokens_.push_back(x.data + n * x.stride[0]);
      out_.push_back(out.data + n * out.stride[0]);
    }
    const auto threads = static_cast<size_t>(omp_get_max_threads());
    scratch_ = workspace.take_elements<float>(threads * kProductFloats);
    packed_ = workspace.take_elements<float>(static_cast<size_t>(panel_floats(count(), width_)));
  }

  /// Returns the number of rows in a piece, for a weight that is read in place.
  [[nodiscard]] int64_t piece() const { return piece_rows(rows_, count(), kMostPieceRows); }

  /// Runs the layer. weights(first, last, thread) returns dense rows [first, last) of the weight, at most `piece`,
  /// which stay valid until the next call by that thread.
  template <class Weights>
  void run(int64_t piece, const Weights& weights) {
    if (width_ == 0) return write_bias();  // panels write what the first channels give
    for (int64_t at = 0; at < count(); at += panel_tokens()) {
      const T* const* tokens = &tokens_[static_cast<size_t>(at)];
      const int64_t some = std::min(count() - at, panel_tokens());
      pack_panel(tokens, some, width_, packed_);
      in_pieces(rows_, piece, [&](int64_t first, int64_t last) {
        const int thread = omp_get_thread_num();
        float* scratch = scratch_ + kProductFloats * thread;
        linear_panel(
            LinearPanel<T>{{tokens, packed_, weights(first, last, thread), scratch, some, width_, 0, last - first},
                           bias_ == nullptr ? nullptr : bias_ + first,
                           &out_[static_cast<size_t>(at)],
                           first});
      });
    }
  }

 private:
  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(tokens_.size()); }

  /// The sums of no products, as a rank has them that holds no channel.
  void write_bias() const {
    for (T* row : out_) {
      for (int64_t f = 0; f < rows_; ++f)
        store_element(kDTypeOf<T>, reinterpret_cast<std::byte*>(row + f), bias_ == nullptr ? 0.0 : bias_[f]);
    }
  }

  int64_t width_, rows_;
  const float* bias_;
  std::vector<const T*> tokens_;
  std::vector<T*> out_;
  float* scratch_ = nullptr;
  float* packed_ = nullptr;
};

}  // namespace parity::cpu

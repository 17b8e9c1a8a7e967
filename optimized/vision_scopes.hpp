// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention of the vision tower as calls of attention without causality: scopes of equal length are rows of a batch.
#pragma once

#include <array>
#include <vector>

#include "core/components/vision/vision_attention.hpp"
#include "optimized/attention_operands.hpp"

namespace parity::optimized {

/// Neighbouring scopes of equal length.
struct Scopes {
  int64_t first, length, count;
};

inline std::vector<Scopes> scopes_of(const Span<int64_t, 2>& grid, int64_t patches, bool per_medium) {
  std::vector<Scopes> scopes;
  int64_t first = 0;
  for (int64_t m = 0; m < grid.extent[0]; ++m) {
    const std::array<int64_t, 3> medium{grid(m, 0), grid(m, 1), grid(m, 2)};
    for (const int64_t extent : medium)
      PARITY_CHECK(extent > 0 && extent <= patches, schema,
                   "vision_attention: row {} of the grid has an extent of {}, but there are {} patches", m, extent,
                   patches);
    const int64_t length = element_count({medium[0], medium[1], medium[2]});
    if (!scopes.empty() && scopes.back().length == length) {
      ++scopes.back().count;
    } else {
      scopes.push_back({first, length, 1});
    }
    first += length;
  }
  PARITY_CHECK(first == patches, schema, "vision_attention: the grid describes {} patches, but there are {}", first,
               patches);
  if (!per_medium) scopes = {{0, patches, 1}};
  return scopes;
}

/// Returns `count` neighbouring scopes of `length` tokens as a batch; the first begins at token `first`. `tokens` is
/// the axis of the tokens.
template <class T>
Span<T, 4> batch_of(const TensorView& view, size_t tokens, const Scopes& scopes) {
  Span<T, 4> x;
  const auto all = view.as<std::remove_const_t<T>, 4>();
  PARITY_CHECK(all.extent[3] <= 1 || all.stride[3] == 1, internal,
               "vision_attention needs operands and an output of rows with contiguous channels");
  x.data = all.data + scopes.first * all.stride[tokens];
  x.extent = all.extent;
  x.stride = all.stride;
  x.extent[0] = scopes.count;
  x.stride[0] = scopes.length * all.stride[tokens];
  x.extent[tokens] = scopes.length;
  return x;
}

/// Every patch sees all of its scope, if nothing else hides slots.
template <class T>
AttentionOperands<T> scope_operands(const VisionAttention::Inputs& in, const VisionAttention::Params& params,
                                    const VisionAttention::Outputs& out, const Scopes& scopes) {
  AttentionOperands<T> operands;
  operands.q = batch_of<const T>(in.q, 2, scopes);
  operands.k = batch_of<const T>(in.k, 2, scopes);
  operands.v = batch_of<const T>(in.v, 2, scopes);
  operands.out = batch_of<T>(out.out, 1, scopes);
  operands.block_size = scopes.length;
  operands.scale = params.scale;
  operands.normalise_first = params.normalise_first;
  return operands;
}

}  // namespace parity::optimized

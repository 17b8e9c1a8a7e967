// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The checked operands of one call of attention, dense or over lists of key blocks.
#pragma once

#include <optional>

#include "core/components/attention/attention_block_sparse.hpp"

namespace parity::optimized {

/// The operands of attention_dense and of attention_block_sparse.
template <class T>
struct AttentionOperands {
  Span<const T, 4> q, k, v;                                                  // (B, A, S, D), (B, G, K, D), (B, G, K, D)
  Span<T, 4> out;                                                                                        // (B, S, A, D)
  std::optional<Span<int64_t, 2>> mask;                                                                        // (B, K)
  std::optional<Span<int64_t, 3>> pairs;                                                                    // (B, S, K)
  std::optional<Span<int64_t, 2>> positions;                                                                   // (B, S)
  std::optional<Span<int64_t, 3>> lists;                   // (B, S, T) or (B*X, S, T); without them every block is seen
  int64_t block_size = 0;
  int64_t query_slot = 0;
  double scale = 1.0;
  bool normalise_first = false;
  bool zero_blind_rows = false;
  bool self_visible = false;
};

/// Returns the operands that both components have, after checking their shapes.
template <class T, class C>
AttentionOperands<T> attention_operands(const typename C::Inputs& in, const typename C::Params& params,
                                        const typename C::Outputs& out) {
  const auto read = [](const TensorView& view) {
    const auto x = view.as<T, 4>();
    PARITY_CHECK(x.extent[3] <= 1 || x.stride[3] == 1, internal, "{} needs rows with contiguous channels",
                 C::text.name);
    return Span<const T, 4>{x.data, x.extent, x.stride};
  };
  AttentionOperands<T> result{read(in.q), read(in.k), read(in.v), out.out.template as<T, 4>(), {}, {}, {}, {}};
  PARITY_CHECK(result.out.extent[3] <= 1 || result.out.stride[3] == 1, internal,
               "{} needs output rows with contiguous channels", C::text.name);
  if (!in.mask.empty()) result.mask = in.mask.template as<int64_t, 2>();
  const int64_t queries = result.q.extent[2], slots = result.k.extent[2];
  result.block_size = slots;
  PARITY_CHECK(slots > 0 || queries == 0, schema, "{}: {} queries but no key slots", C::text.name, queries);
  PARITY_CHECK(result.k.extent[1] > 0 && result.q.extent[1] % result.k.extent[1] == 0, schema,
               "{}: {} query heads cannot share {} key heads evenly", C::text.name, result.q.extent[1],
               result.k.extent[1]);
  result.query_slot = params.query_slot >= 0 ? params.query_slot : slots - queries;
  PARITY_CHECK(result.query_slot + queries <= slots, schema,
               "{}: the queries take slots {} to {}, but k and v have only {} slots", C::text.name, result.query_slot,
               result.query_slot + queries - 1, slots);
  PARITY_CHECK(params.scale > 0, unsupported, "{}: scale is {}; a positive one is needed", C::text.name, params.scale);
  result.scale = params.scale;
  result.normalise_first = params.normalise_first;
  result.zero_blind_rows = params.zero_blind_rows;
  return result;
}

/// Returns the operands of attention_block_sparse, with its lists.
template <class T>
AttentionOperands<T> block_sparse_operands(const AttentionBlockSparse::Inputs& in,
                                           const AttentionBlockSparse::Params& params,
                                           const AttentionBlockSparse::Outputs& out) {
  auto operands = attention_operands<T, AttentionBlockSparse>(in, params, out);
  PARITY_CHECK(params.block_size > 0, schema, "attention_block_sparse: block_size is {}; 1 or more is needed",
               params.block_size);
  operands.block_size = params.block_size;
  operands.lists = in.blocks.as<int64_t, 3>();                                               // (B, S, T) or (B*X, S, T)
  operands.self_visible = params.self_visible;
  if (!in.pairs.empty()) operands.pairs = in.pairs.as<int64_t, 3>();
  if (!in.positions.empty()) operands.positions = in.positions.as<int64_t, 2>();
  return operands;
}

}  // namespace parity::optimized

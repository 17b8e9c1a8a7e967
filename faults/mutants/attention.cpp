// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention in which queries see wrong keys.

#include <algorithm>
#include <optional>

#include "core/components/attention/attention_block_sparse.hpp"
#include "core/components/attention/attention_dense.hpp"
#include "faults/mutants/mutants.hpp"
#include "reference/attention/attention_row.hpp"

namespace parity::faults {
namespace {

/// Errors in the set of keys that a query sees. The defaults are right.
struct WrongMask {
  int64_t reach = 0;           // number of later keys that are seen; negative: number of earlier keys that are hidden
  bool all = false;            // sees every key of the sequence
  bool padding = false;        // also sees padding keys
  int64_t hidden = -1;         // index of a key that no query sees
  bool heads_in_turn = false;  // query head a reads key head a mod G instead of a / (A / G)
  bool every_block = false;    // ignores the block list
  int64_t block_shift = 0;     // adds this number to the block ids of the list
};

template <class Params>
constexpr auto mask_params() {
  return std::tuple{param("reach", &Params::reach),
                    param("all", &Params::all),
                    param("padding", &Params::padding),
                    param("hidden", &Params::hidden),
                    param("heads_in_turn", &Params::heads_in_turn),
                    param("every_block", &Params::every_block),
                    param("block_shift", &Params::block_shift)};
}

struct AttentionDenseMaskedWrongly : AttentionDense {
  static constexpr ComponentText text{"attention_dense_masked_wrongly", "dense attention over the wrong keys",
                                      "faults/mutants/attention.cpp"};
  struct Params : AttentionDense::Params, WrongMask {};
  static constexpr auto params() { return std::tuple_cat(AttentionDense::params(), mask_params<Params>()); }
};

struct AttentionBlockSparseMaskedWrongly : AttentionBlockSparse {
  static constexpr ComponentText text{"attention_block_sparse_masked_wrongly",
                                      "block-sparse attention over the wrong keys", "faults/mutants/attention.cpp"};
  struct Params : AttentionBlockSparse::Params, WrongMask {};
  static constexpr auto params() { return std::tuple_cat(AttentionBlockSparse::params(), mask_params<Params>()); }
};

/// Whether block list `list` of query s contains `block`.
bool listed(const Span<int64_t, 3>& lists, int64_t list, int64_t s, int64_t block) {
  for (int64_t t = 0; t < lists.extent[2]; ++t) {
    if (lists(list, s, t) == block) return true;
  }
  return false;
}

template <class Num, class C, class Selected>
void attend(const typename C::Inputs& in, const typename C::Params& params, const typename C::Outputs& out,
            Context& context, const Selected& selected) {
  const auto round = points_of<C>(context);
  const auto q = in.q.template as<double, 4>();                                                          // (B, A, S, D)
  const auto k = in.k.template as<double, 4>();                                                          // (B, G, K, D)
  const auto v = in.v.template as<double, 4>();                                                          // (B, G, K, D)
  const auto& shape = in.q.shape;                                                                        // (B, A, S, D)
  const int64_t groups = in.k.shape[1];
  const int64_t slots = in.k.shape[2];
  const bool masked = !in.mask.empty() && !params.padding;
  const Sink<Num, 4> y(out.out, context);                                                                // (B, S, A, D)
  std::optional<reference::Head> head;
  for (int64_t row = 0; row < shape[0] * shape[1] * shape[2]; ++row) {
    const int64_t s = row % shape[2];
    const int64_t a = row / shape[2] % shape[1];
    const int64_t b = row / shape[2] / shape[1];
    if (s == 0) head.emplace(k, v, b, params.heads_in_turn ? a % groups : a / (shape[1] / groups));
    const int64_t own = (params.query_slot >= 0 ? params.query_slot : slots - shape[2]) + s;
    const int64_t last = params.all ? slots - 1 : std::min(own + params.reach, slots - 1);
    reference::AttentionRow one{b, a, s, {}, false};
    for (int64_t j = 0; j <= last; ++j) {
      const bool visible = !masked || in.mask.template as<int64_t, 2>()(b, j) != 0;
      if (visible && j != params.hidden && selected(b, a, s, j)) one.slots.push_back(j);
    }
    one.blind = one.slots.empty();
    for (int64_t j = 0; one.blind && j < slots; ++j) one.slots.push_back(j);
    const auto result = reference::attention_row<Num, C>(one, q, *head, params, round);
    for (size_t d = 0; d < result.size(); ++d) y.set(result[d], b, s, a, static_cast<int64_t>(d));
  }
}

template <class Num>
void attention_dense_masked_wrongly(const AttentionDense::Inputs& in, const AttentionDenseMaskedWrongly::Params& params,
                                    const AttentionDense::Outputs& out, Context& context) {
  attend<Num, AttentionDenseMaskedWrongly>(in, params, out, context,
                                           [](int64_t, int64_t, int64_t, int64_t) { return true; });
}

template <class Num>
void attention_block_sparse_masked_wrongly(const AttentionBlockSparse::Inputs& in,
                                           const AttentionBlockSparseMaskedWrongly::Params& params,
                                           const AttentionBlockSparse::Outputs& out, Context& context) {
  const auto lists = in.blocks.as<int64_t, 3>();                                             // (B, S, T) or (B*X, S, T)
  PARITY_CHECK(params.block_size > 0, usage, "block_size is {}; 1 or more is needed", params.block_size);
  const int64_t per_row = lists.extent[0] / in.q.shape[0];
  const int64_t heads = in.q.shape[1] / per_row;
  const auto selected = [&](int64_t b, int64_t a, int64_t s, int64_t j) {
    const int64_t list = b * per_row + (params.heads_in_turn ? a % per_row : a / heads);
    return params.every_block || listed(lists, list, s, j / params.block_size - params.block_shift);
  };
  attend<Num, AttentionBlockSparseMaskedWrongly>(in, params, out, context, selected);
}

}  // namespace

PARITY_REFERENCE(AttentionDenseMaskedWrongly, attention_dense_masked_wrongly)
PARITY_REFERENCE(AttentionBlockSparseMaskedWrongly, attention_block_sparse_masked_wrongly)

}  // namespace parity::faults

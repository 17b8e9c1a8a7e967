// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/attention/attention_block_sparse.hpp"

#include "reference/attention/attention_row.hpp"
#include "reference/support.hpp"

namespace parity::reference {

/// keep[(list * S + s) * blocks + n]: whether block n is in the list of query s.
std::vector<bool> kept_blocks(const Span<int64_t, 3>& lists, int64_t blocks) {
  std::vector<bool> keep(static_cast<size_t>(lists.extent[0] * lists.extent[1] * blocks), false);
  for (int64_t r = 0; r < lists.extent[0]; ++r) {
    for (int64_t s = 0; s < lists.extent[1]; ++s) {
      for (int64_t t = 0; t < lists.extent[2]; ++t) {
        const int64_t n = lists(r, s, t);
        if (n >= 0 && n < blocks) keep[static_cast<size_t>((r * lists.extent[1] + s) * blocks + n)] = true;
      }
    }
  }
  return keep;
}

template <class Num>
void attention_block_sparse(const AttentionBlockSparse::Inputs& in, const AttentionBlockSparse::Params& params,
                            const AttentionBlockSparse::Outputs& out, Context& context) {
  const auto lists = in.blocks.as<int64_t, 3>();                                             // (B, S, T) or (B*X, S, T)
  const int64_t batch = in.q.shape[0];
  const int64_t heads = in.q.shape[1];
  const int64_t queries = in.q.shape[2];
  PARITY_CHECK(params.block_size > 0, usage, "block_size is {}; 1 or more is needed", params.block_size);
  const int64_t blocks = (in.k.shape[2] + params.block_size - 1) / params.block_size;
  const int64_t lists_per_row = lists.extent[0] / batch;  // the number of index heads, or 1
  const auto keep = kept_blocks(lists, blocks);
  const auto selected = [&](int64_t b, int64_t a, int64_t s, int64_t j) {
    const int64_t list = b * lists_per_row + a / (heads / lists_per_row);
    return keep[static_cast<size_t>((list * queries + s) * blocks + j / params.block_size)];
  };
  attention<Num, AttentionBlockSparse>(in, params, out, context, selected);
}

PARITY_REFERENCE(AttentionBlockSparse, attention_block_sparse)

}  // namespace parity::reference

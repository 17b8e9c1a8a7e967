// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/index/index_select.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "reference/support.hpp"
#include "reference/top_k.hpp"

namespace parity::reference {

template <class Num>
void index_select(const IndexSelect::Inputs& in, const IndexSelect::Params& params, const IndexSelect::Outputs& out,
                  Context& context) {
  const auto scores = in.block_scores.as<double, 3>();                                       // (B, S, J) or (B*X, S, J)
  const auto positions = in.positions.as<int64_t, 2>();                                                        // (B, S)
  const auto blocks = out.blocks.as<int64_t, 3>();                                           // (B, S, T) or (B*X, S, T)
  std::optional<Sink<Num, 3>> forced;                                                        // (B, S, J) or (B*X, S, J)
  if (!out.forced_scores.empty()) forced.emplace(out.forced_scores, context);
  PARITY_CHECK(params.block_size > 0, usage, "block_size is {}; 1 or more is needed", params.block_size);
  const double infinity = std::numeric_limits<double>::infinity();
  const int64_t lists_per_row = scores.extent[0] / positions.extent[0];
  for (int64_t r = 0; r < scores.extent[0]; ++r) {
    for (int64_t s = 0; s < scores.extent[1]; ++s) {
      std::vector<double> row;
      for (int64_t n = 0; n < scores.extent[2]; ++n) row.push_back(scores(r, s, n));
      const int64_t own = positions(r / lists_per_row, s) / params.block_size;
      PARITY_CHECK(own < scores.extent[2], schema, "position {} lies beyond the {} key blocks",
                   positions(r / lists_per_row, s), scores.extent[2]);
      for (int64_t l = 0; l < params.local_blocks; ++l)
        row[static_cast<size_t>(std::max<int64_t>(own - l, 0))] = infinity;
      for (int64_t n = 0; n < std::min(params.init_blocks, own + 1); ++n) row[static_cast<size_t>(n)] = infinity;
      for (int64_t n = 0; forced && n < scores.extent[2]; ++n) forced->set(Num(row[static_cast<size_t>(n)]), r, s, n);
      const auto chosen = top_k(row, params.top_k);
      for (int64_t t = 0; t < blocks.extent[2]; ++t) {
        const int64_t n = t < static_cast<int64_t>(chosen.size()) ? chosen[static_cast<size_t>(t)] : -1;
        blocks(r, s, t) = n >= 0 && row[static_cast<size_t>(n)] != -infinity ? n : -1;
      }
    }
  }
}

PARITY_REFERENCE(IndexSelect, index_select)

}  // namespace parity::reference

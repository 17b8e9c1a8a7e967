// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/collective/combine.hpp"

#include <algorithm>

#include "reference/collective/rank_sum.hpp"
#include "reference/support.hpp"

namespace parity::reference {
namespace {

/// The ranks that have an expert of token `row`, in ascending order.
std::vector<size_t> ranks_of(const Span<int64_t, 2>& indices, int64_t row, int64_t count, size_t ranks) {
  std::vector<size_t> found;
  for (int64_t t = 0; t < indices.extent[1]; ++t) {
    const int64_t e = indices(row, t);
    if (e >= 0 && e / count < static_cast<int64_t>(ranks)) found.push_back(static_cast<size_t>(e / count));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

template <class Num>
void combine(const Combine::Inputs& in, const Combine::Params& params, const Combine::Outputs& out, Context& context) {
  const auto round = points_of<Combine>(context);
  const Sink<Num, 2> y(out.out, context);                                                                      // (L, H)
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  const int64_t rows = out.out.shape.front();
  PARITY_CHECK(params.first_row >= 0 && params.first_row <= indices.extent[0] - rows, unsupported,
               "rows {} to {} are outside of the {} tokens", params.first_row, params.first_row + rows,
               indices.extent[0]);
  PARITY_CHECK(params.count >= 1, unsupported, "each rank has {} experts; at least one is needed", params.count);
  for (int64_t n = 0; n < rows; ++n) {
    const int64_t row = params.first_row + n;
    std::vector<Num> terms;
    const std::vector<size_t> ranks = ranks_of(indices, row, params.count, in.parts.size());
    for (int64_t h = 0; h < out.out.shape.back(); ++h) {
      terms.clear();
      for (const size_t r : ranks) terms.push_back(Num(in.parts[r].as<double, 2>()(row, h)));
      const Num sum = terms.empty() ? Num(0.0) : sum_of(terms, SumOrder::by_rank, SumRoute{}, 0, round.sum);
      y.set(round.out(sum), n, h);
    }
  }
}

PARITY_REFERENCE(Combine, combine)

}  // namespace parity::reference

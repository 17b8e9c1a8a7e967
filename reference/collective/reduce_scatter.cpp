// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/collective/reduce_scatter.hpp"

#include "reference/collective/rank_sum.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void reduce_scatter(const ReduceScatter::Inputs& in, const ReduceScatter::Params& params,
                    const ReduceScatter::Outputs& out, Context& context) {
  const auto round = points_of<ReduceScatter>(context);
  const Sink<Num, 2> y(out.out, context);                                                                      // (L, H)
  const TensorView& whole = in.parts.front();                                                                  // (N, H)
  const int64_t rows = out.out.shape.front(), width = out.out.shape.back();
  PARITY_CHECK(params.first_row >= 0 && params.first_row <= whole.shape.front() - rows, unsupported,
               "rows {} to {} are outside of parts with {} rows", params.first_row, params.first_row + rows,
               whole.shape.front());
  const auto order = static_cast<SumOrder>(params.order);
  const SumRoute route =
      route_of(order, whole.count(), static_cast<int64_t>(in.parts.size()), size_of(round.sum.target()));
  std::vector<Num> terms(in.parts.size());
  for (int64_t n = 0; n < rows; ++n) {
    for (int64_t h = 0; h < width; ++h) {
      const int64_t row = params.first_row + n;
      for (size_t r = 0; r < terms.size(); ++r) terms[r] = Num(in.parts[r].as<double, 2>()(row, h));
      y.set(sum_of(terms, order, route, row * width + h, round.sum), n, h);
    }
  }
}

PARITY_REFERENCE(ReduceScatter, reduce_scatter)

}  // namespace parity::reference

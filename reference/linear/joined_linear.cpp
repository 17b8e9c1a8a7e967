// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/linear/joined_linear.hpp"

#include "reference/support.hpp"
#include "reference/vision/grid.hpp"

namespace parity::reference {

template <class Num>
void joined_linear(const JoinedLinear::Inputs& in, const JoinedLinear::Params&, const JoinedLinear::Outputs& out,
                   Context& context) {
  const auto round = points_of<JoinedLinear>(context);
  const auto first = matrix(in.first.as<double, 2>());                                                         // (N, H)
  const auto second = matrix(in.second.as<double, 2>());                                                       // (N, H)
  const auto weight = matrix(in.weight.as<double, 2>());                                                      // (F, 2H)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, F)
  Grid<Num> joined(first.rows(), 2 * first.cols());
  joined.value.leftCols(first.cols()) = first;
  joined.value.rightCols(first.cols()) = second;
  const Grid<Num> result = product(joined, weight, round.sum, round.out);
  for (int64_t n = 0; n < result.value.rows(); ++n) {
    for (int64_t f = 0; f < result.value.cols(); ++f) y.set(result.at(n, f), n, f);
  }
}

PARITY_REFERENCE(JoinedLinear, joined_linear)

}  // namespace parity::reference

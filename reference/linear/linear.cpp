// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/linear/linear.hpp"

#include "reference/support.hpp"
#include "reference/vision/grid.hpp"

namespace parity::reference {

constexpr int64_t kRowTile = 256;  // bounds the memory in addition to operands and outputs

template <class Num>
void linear(const Linear::Inputs& in, const Linear::Params&, const Linear::Outputs& out, Context& context) {
  const auto round = points_of<Linear>(context);
  const auto x = matrix(in.x.as<double, 2>());                                                                 // (N, H)
  const auto weight = matrix(in.weight.as<double, 2>());                                                       // (F, H)
  const auto bias = in.bias.empty() ? Span<double, 1>{} : in.bias.as<double, 1>();                                // (F)
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, F)
  for (int64_t first = 0; first < x.rows(); first += kRowTile) {
    Grid<Num> tile(std::min(kRowTile, x.rows() - first), x.cols());
    tile.value = x.middleRows(first, tile.value.rows());
    const Grid<Num> result = product(tile, weight, round.sum, round.out, bias);
    for_each_row(result.value.rows(), result.value.cols(), [&](int64_t n) {
      for (int64_t f = 0; f < result.value.cols(); ++f) y.set(result.at(n, f), first + n, f);
    });
  }
}

PARITY_REFERENCE(Linear, linear)

}  // namespace parity::reference

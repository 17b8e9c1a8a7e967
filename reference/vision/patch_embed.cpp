// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/vision/patch_embed.hpp"

#include "reference/support.hpp"
#include "reference/vision/grid.hpp"

namespace parity::reference {

constexpr int64_t kRowTile = 256;  // bounds the memory in addition to operands and outputs

/// The convolution kernel as a matrix, with columns in the order of the pixels.
inline Matrix flattened(const Span<double, 5>& weight) {                                              // (H, C, T, Y, X)
  const auto [rows, channels, frames, height, width] = weight.extent;
  Matrix result(rows, channels * frames * height * width);
  for (int64_t h = 0; h < rows; ++h) {
    int64_t column = 0;
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t t = 0; t < frames; ++t) {
        for (int64_t y = 0; y < height; ++y) {
          for (int64_t x = 0; x < width; ++x) result(h, column++) = weight(h, c, t, y, x);
        }
      }
    }
  }
  return result;
}

template <class Num>
void patch_embed(const PatchEmbed::Inputs& in, const PatchEmbed::Params&, const PatchEmbed::Outputs& out,
                 Context& context) {
  const auto round = points_of<PatchEmbed>(context);
  const DType working = context.rounding.working();
  const auto pixels = in.pixels.as<double, 2>();                                                            // (P, CTYX)
  const Matrix weight = flattened(in.weight.as<double, 5>());                                               // (H, CTYX)
  const Sink<Num, 2> y(out.out, context);                                                                      // (P, H)
  PARITY_CHECK(pixels.extent[1] == weight.cols(), schema, "patches have {} values, but the weight has {}",
               pixels.extent[1], weight.cols());
  const ConstMatrix kernel(weight.data(), weight.rows(), weight.cols(), Eigen::OuterStride<>(weight.cols()));
  for (int64_t first = 0; first < pixels.extent[0]; first += kRowTile) {
    Grid<Num> tile(std::min(kRowTile, pixels.extent[0] - first), weight.cols());
    for (int64_t p = 0; p < tile.value.rows(); ++p) {
      for (int64_t i = 0; i < tile.value.cols(); ++i) tile.value(p, i) = round_to(working, pixels(first + p, i));
    }
    const Grid<Num> result = product(tile, kernel, round.sum, round.out);
    for (int64_t p = 0; p < result.value.rows(); ++p) {
      for (int64_t h = 0; h < result.value.cols(); ++h) y.set(result.at(p, h), first + p, h);
    }
  }
}

PARITY_REFERENCE(PatchEmbed, patch_embed)

}  // namespace parity::reference

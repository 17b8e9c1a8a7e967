// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/processor/patchify.hpp"

#include <algorithm>
#include <array>

#include "reference/support.hpp"

namespace parity::reference {

/// Mean and deviation of the three colours as the package stores them, scaled to pixel values of 0 to 255.
struct Normalisation {
  std::array<double, 3> mean;
  std::array<double, 3> deviation;
};

inline Normalisation normalisation(const Patchify::Params& params, const Patchify::Points& round) {
  const double scale = round.constant(1.0 / params.rescale);
  Normalisation result{{params.mean_red, params.mean_green, params.mean_blue},
                       {params.std_red, params.std_green, params.std_blue}};
  for (auto* list : {&result.mean, &result.deviation}) {
    for (double& x : *list) x = round.constant(round.constant(x) * scale);
  }
  return result;
}

/// The order of patches, and of the pixels in a patch.
struct PatchOrder {
  int64_t frames, rows, columns;  // in patches
  int64_t merge;

  /// Calls body(p, frame, row, column) in the tower's order.
  template <class Body>
  void for_each(const Body& body) const {
    int64_t p = 0;
    for (int64_t f = 0; f < frames; ++f) {
      for (int64_t block = 0; block < rows / merge * (columns / merge); ++block) {
        const int64_t top = block / (columns / merge) * merge;
        const int64_t left = block % (columns / merge) * merge;
        for (int64_t i = 0; i < merge * merge; ++i) body(p++, f, top + i / merge, left + i % merge);
      }
    }
  }
};

inline void write_grid(const PatchOrder& order, int64_t segment, const TensorView& target) {
  const auto grid = target.as<int64_t, 2>();                                                                   // (G, 3)
  const int64_t longest = segment > 0 ? segment : order.frames;
  const int64_t count = (order.frames + longest - 1) / longest;
  PARITY_CHECK(grid.extent[0] == count, schema, "{} temporal patches make {} rows of the grid, but {} are recorded",
               order.frames, count, grid.extent[0]);
  for (int64_t row = 0; row < count; ++row) {
    grid(row, 0) = std::min(longest, order.frames - row * longest);
    grid(row, 1) = order.rows;
    grid(row, 2) = order.columns;
  }
}

template <class Num>
void patchify(const Patchify::Inputs& in, const Patchify::Params& params, const Patchify::Outputs& out,
              Context& context) {
  const auto round = points_of<Patchify>(context);
  const auto image = in.image.as<int64_t, 3>();    // (T C, H, W)
  const Sink<Num, 2> values(out.values, context);                                                              // (P, F)
  const auto [planes, height, width] = image.extent;
  const int64_t side = params.patch * params.merge;
  PARITY_CHECK(params.channels >= 1 && params.channels <= 3 && planes % params.channels == 0 && planes > 0, schema,
               "{} planes cannot be divided into frames of {} colours (at most three)", planes, params.channels);
  PARITY_CHECK(side > 0 && params.temporal > 0, usage, "patches of {} pixels and {} frames; both must be positive",
               side, params.temporal);
  PARITY_CHECK(height % side == 0 && width % side == 0, schema, "frames of {} x {} pixels are not multiples of {}",
               height, width, side);
  const int64_t frames = planes / params.channels;
  const PatchOrder order{(frames + params.temporal - 1) / params.temporal, height / params.patch, width / params.patch,
                         params.merge};
  PARITY_CHECK(order.frames * order.rows * order.columns == out.values.shape[0] &&
                   params.channels * params.temporal * params.patch * params.patch == out.values.shape[1],
               schema, "the patches do not have the recorded shape {}", to_string(out.values.shape));
  const Normalisation constants = normalisation(params, round);
  order.for_each([&](int64_t p, int64_t f, int64_t row, int64_t column) {
    int64_t feature = 0;
    for (int64_t c = 0; c < params.channels; ++c) {
      const double mean = constants.mean[static_cast<size_t>(c)];
      const double deviation = constants.deviation[static_cast<size_t>(c)];
      for (int64_t t = 0; t < params.temporal; ++t) {
        const int64_t plane = std::min(f * params.temporal + t, frames - 1) * params.channels + c;
        for (int64_t i = 0; i < params.patch * params.patch; ++i) {
          const int64_t pixel =
              image(plane, row * params.patch + i / params.patch, column * params.patch + i % params.patch);
          const Num difference = round.difference(Num(static_cast<double>(pixel) - mean));
          values.set(round.out(difference / Num(deviation)), p, feature++);
        }
      }
    }
  });
  write_grid(order, params.segment, out.grid);
}

PARITY_REFERENCE(Patchify, patchify)

}  // namespace parity::reference

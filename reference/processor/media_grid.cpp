// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/processor/media_grid.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/plans/m3/smart_size.hpp"
#include "reference/support.hpp"

namespace parity::reference {

/// Numbers of temporal patches, rows and columns.
using MediumGrid = std::array<int64_t, 3>;

/// The grid of a medium; nothing if it is refused or has a side of 0. Error{schema}: sides that fill no whole patches.
inline std::optional<MediumGrid> grid_of(int64_t frames, const ImageSize& given, const MediaGrid::Params& params) {
  PARITY_CHECK(params.patch > 0 && params.merge > 0 && params.temporal > 0, usage,
               "patch {}, temporal {} and merge {} must be positive", params.patch, params.temporal, params.merge);
  const SizeRule rule{params.patch * params.merge, params.least_pixels, params.most_pixels, params.whole_side};
  const auto made = params.resize ? smart_size(given, rule) : given;
  if (frames < 1 || !made || made->height < 1 || made->width < 1) return std::nullopt;
  PARITY_CHECK(made->height % rule.factor == 0 && made->width % rule.factor == 0, schema,
               "an image of {} x {} pixels is not resized, so its sides must be multiples of {}", given.height,
               given.width, rule.factor);
  return MediumGrid{(frames + params.temporal - 1) / params.temporal, made->height / params.patch,
                    made->width / params.patch};
}

/// The grid rows of all media in succession.
class GridRows {
 public:
  explicit GridRows(const TensorView& grid) : rows_(grid.as<int64_t, 2>()) {}

  void add(const MediumGrid& grid) {
    PARITY_CHECK(count_ < rows_.extent[0], schema, "the images need more than the {} recorded rows of grids",
                 rows_.extent[0]);
    for (int64_t i = 0; i < 3; ++i) rows_(count_, i) = grid[static_cast<size_t>(i)];
    ++count_;
  }
  void finish() const {
    PARITY_CHECK(count_ == rows_.extent[0], schema, "the images have {} rows of grids, but {} are recorded", count_,
                 rows_.extent[0]);
  }

 private:
  Span<int64_t, 2> rows_;                                                                                      // (G, 3)
  int64_t count_ = 0;
};

template <class Num>
void media_grid(const MediaGrid::Inputs& in, const MediaGrid::Params& params, const MediaGrid::Outputs& out, Context&) {
  const auto sizes = in.sizes.as<int64_t, 2>();  // (M, [frames,] h, w)
  GridRows rows(out.grid);
  const int64_t columns = sizes.extent[1];
  PARITY_CHECK(columns == 2 || columns == 3, schema, "a size has {} numbers; expected (h, w) or (frames, h, w)",
               columns);
  const auto write = [](const TensorView& target, int64_t m, int64_t value) {
    if (!target.empty()) target.as<int64_t, 1>()(m) = value;
  };
  for (int64_t m = 0; m < sizes.extent[0]; ++m) {
    const int64_t frames = columns == 3 ? sizes(m, 0) : 1;
    const ImageSize given{sizes(m, columns - 2), sizes(m, columns - 1)};
    const auto made = grid_of(frames, given, params);
    PARITY_CHECK(made || params.marks_refused, schema,
                 "image or video {} ({} frames of {} x {} pixels) has a size that the package refuses", m, frames,
                 given.height, given.width);
    const MediumGrid grid = made.value_or(MediumGrid{-1, -1, -1});
    const int64_t longest = params.segment > 0 && made ? params.segment : std::max<int64_t>(grid[0], 1);
    const int64_t chunks = made ? (grid[0] + longest - 1) / longest : 1;
    for (int64_t c = 0; c < chunks; ++c)
      rows.add({made ? std::min(longest, grid[0] - c * longest) : -1, grid[1], grid[2]});
    write(out.tokens, m, made ? grid[0] * grid[1] * grid[2] / (params.merge * params.merge) : -1);
    write(out.chunks, m, chunks);
    write(out.error, m, made ? 0 : 1);
  }
  rows.finish();
}

PARITY_REFERENCE(MediaGrid, media_grid)

}  // namespace parity::reference

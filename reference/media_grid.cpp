// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/media_grid.hpp"

#include "core/plans/smart_size.hpp"
#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void media_grid(const MediaGrid::Inputs& in, const MediaGrid::Params& params, const MediaGrid::Outputs& out, Context&) {
  const auto sizes = in.sizes.as<int64_t, 2>();  // (M, [frames,] h, w)
  const auto grid = out.grid.as<int64_t, 2>();                                                                 // (M, 3)
  const int64_t columns = sizes.extent[1];
  PARITY_CHECK(columns == 2 || columns == 3, schema, "a size has {} numbers; (h, w) or (frames, h, w) are wanted",
               columns);
  const SizeRule rule{params.patch * params.merge, params.least_pixels, params.most_pixels, params.whole_side};
  for (int64_t m = 0; m < sizes.extent[0]; ++m) {
    const int64_t frames = columns == 3 ? sizes(m, 0) : 1;
    const ImageSize given{sizes(m, columns - 2), sizes(m, columns - 1)};
    const auto made = params.resize ? smart_size(given, rule) : given;
    PARITY_CHECK(frames > 0 && made && made->height > 0 && made->width > 0, schema,
                 "medium {} of {} frames, {} x {}, is refused by the size rule", m, frames, given.height, given.width);
    PARITY_CHECK(made->height % rule.factor == 0 && made->width % rule.factor == 0, schema,
                 "medium {} of {} x {} is not resized and no multiple of {}", m, given.height, given.width,
                 rule.factor);
    grid(m, 0) = (frames + params.temporal - 1) / params.temporal;
    grid(m, 1) = made->height / params.patch;
    grid(m, 2) = made->width / params.patch;
  }
}

PARITY_REFERENCE(MediaGrid, media_grid)

}  // namespace parity::reference

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations/pictures.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/random.hpp"

namespace parity::faults {

std::vector<Patch> places_of(const Patch& grid, int64_t merge) {
  std::vector<Patch> places;
  for (int64_t t = 0; t < grid[0]; ++t) {
    for (int64_t row = 0; row < grid[1]; row += merge) {
      for (int64_t column = 0; column < grid[2]; column += merge) {
        for (int64_t i = 0; i < merge * merge; ++i) places.push_back({t, row + i / merge, column + i % merge});
      }
    }
  }
  return places;
}

Picture drawn_picture(const Patch& grid, int64_t columns, uint64_t seed) {
  Tensor pixels(DType::f64, {grid[0] * grid[1] * grid[2], columns}, "P,CTYX");
  const Random random(seed, "pictures");
  for (int64_t i = 0; i < pixels.view().count(); ++i) pixels.f64()[i] = random.normal(static_cast<uint64_t>(i));
  return {grid, pixels};
}

std::vector<int64_t> order_of(const Patch& grid, const Patch& other, int64_t merge,
                              const std::function<Patch(const Patch&)>& seen) {
  const auto places = places_of(grid, merge);
  std::vector<int64_t> order;
  for (const Patch& place : places_of(other, merge)) {
    const auto found = std::find(places.begin(), places.end(), seen(place));
    PARITY_CHECK(found != places.end(), internal, "a patch lies outside of its image");
    order.push_back(found - places.begin());
  }
  return order;
}

Tensor pixels_of(const std::vector<Picture>& pictures) {
  std::vector<TensorView> views;
  for (const Picture& picture : pictures) views.push_back(picture.pixels.view());
  return concatenate(views, 'P');
}

Tensor grids_of(const std::vector<Picture>& pictures) {
  Tensor grids(DType::i64, {static_cast<int64_t>(pictures.size()), 3}, "M,3");
  for (size_t m = 0; m < pictures.size(); ++m)
    std::copy(pictures[m].grid.begin(), pictures[m].grid.end(), grids.i64() + 3 * m);
  return grids;
}

}  // namespace parity::faults

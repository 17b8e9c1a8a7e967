// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/vision/vision_rotary_tables.hpp"

#include "reference/support.hpp"
#include "reference/vision/patch_grid.hpp"

namespace parity::reference {

template <class Num>
void vision_rotary_tables(const VisionRotaryTables::Inputs& in, const VisionRotaryTables::Params& params,
                          const VisionRotaryTables::Outputs& out, Context& context) {
  const auto round = points_of<VisionRotaryTables>(context);
  const Sink<Num, 2> cos(out.cos, context);                                                                    // (P, R)
  const Sink<Num, 2> sin(out.sin, context);                                                                    // (P, R)
  PARITY_CHECK(params.coordinates >= 1 && params.coordinates <= 3 && params.merge > 0, usage,
               "coordinates {} must be 1 to 3, and merge {} positive", params.coordinates, params.merge);
  PARITY_CHECK(params.rotary_width <= out.cos.shape[1], usage,
               "the tables have {} columns, too few for a rotary_width of {}", out.cos.shape[1], params.rotary_width);
  const auto media = media_of(in.grid.as<int64_t, 2>(), out.cos.shape[0], params.merge);
  const int64_t half = params.rotary_width / 2;
  const int64_t band = params.rotary_width / params.coordinates;
  for (int64_t j = 0; j < band / 2; ++j) {
    const double exponent = round.exponent(2.0 * static_cast<double>(j) / static_cast<double>(band));
    const Num power = round.power(Num(std::pow(params.theta, exponent)));
    const Num inverse = round.inverse(Num(1.0) / power);
    for (const Medium& medium : media) {
      for (int64_t offset = 0; offset < medium.count; ++offset) {
        const auto place = coordinates_of(medium, offset, params.merge);
        for (int64_t i = 0; i < params.coordinates; ++i) {
          const Num angle = round.angle(Num(static_cast<double>(place[static_cast<size_t>(i)])) * inverse);
          const Num c = round.out(round.table(cosine(angle)));
          const Num s = round.out(round.table(sine(angle)));
          for (const int64_t column : {i * band / 2 + j, half + i * band / 2 + j}) {
            cos.set(c, medium.first + offset, column);
            sin.set(s, medium.first + offset, column);
          }
        }
      }
    }
  }
}

PARITY_REFERENCE(VisionRotaryTables, vision_rotary_tables)

}  // namespace parity::reference

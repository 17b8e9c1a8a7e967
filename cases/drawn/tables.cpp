// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tables of the vision towers and of lightning attention, and rotation by these tables.

#include <array>
#include <cmath>

#include "cases/drawn/kernels.hpp"
#include "core/components/lightning/lightning_tables.hpp"
#include "core/components/vision/vision_rope.hpp"
#include "core/components/vision/vision_rotary_tables.hpp"

namespace parity::cases {
namespace {

using Patch = std::array<int64_t, 3>;  // frame, row, column

/// Returns the position of every patch in the tower's order: frames, rows of merge blocks, blocks, patches of a block.
std::vector<Patch> places_of(const Span<int64_t, 2>& grid, int64_t merge) {
  std::vector<Patch> places;
  for (int64_t m = 0; m < grid.extent[0]; ++m) {
    for (int64_t t = 0; t < grid(m, 0); ++t) {
      for (int64_t h = 0; h < grid(m, 1); h += merge) {
        for (int64_t w = 0; w < grid(m, 2); w += merge) {
          for (int64_t i = 0; i < merge * merge; ++i) places.push_back({t, h + i / merge, w + i % merge});
        }
      }
    }
  }
  return places;
}

/// Computes the tables. Frequencies are a buffer, as in the decoder: in binary64 where the oracle's bits are claimed.
void vision_rotary_tables(const VisionRotaryTables::Inputs& in, const VisionRotaryTables::Params& params,
                          const VisionRotaryTables::Outputs& out, const VisionRotaryTables::Points& round,
                          const Arithmetic& math) {
  const auto places = places_of(in.grid.as<int64_t, 2>(), params.merge);
  const auto cos = out.cos.as<double, 2>();                                                                    // (P, R)
  const auto sin = out.sin.as<double, 2>();                                                                    // (P, R)
  const int64_t half = params.rotary_width / 2, pairs = half / params.coordinates;
  const bool narrow = round.out.precision == Precision::working && round.out.working != DType::f32;
  for (const int64_t r : math.visits(half)) {
    const float exponent = static_cast<float>(r % pairs) / static_cast<float>(pairs);
    const float power = narrow ? static_cast<float>(std::pow(params.theta, static_cast<double>(exponent)))
                               : std::pow(static_cast<float>(params.theta), exponent);
    const float inverse = narrow ? 1.0F / power : math.quotient(1.0F, power);
    for (size_t p = 0; p < places.size(); ++p) {
      const float angle = static_cast<float>(places[p][static_cast<size_t>(r / pairs)]) * inverse;
      for (const int64_t column : {r, half + r}) {
        cos(p, column) = at(round.out, std::cos(angle));
        sin(p, column) = at(round.out, std::sin(angle));
      }
    }
  }
}

void vision_rope(const VisionRope::Inputs& in, const VisionRope::Params&, const VisionRope::Outputs& out,
                 const VisionRope::Points& round, const Arithmetic& math) {
  const auto x = in.x.as<double, 3>();                                                                      // (P, A, D)
  const auto cos = in.cos.as<double, 2>();                                                                     // (P, R)
  const auto sin = in.sin.as<double, 2>();                                                                     // (P, R)
  const auto y = out.out.as<double, 3>();                                                                   // (P, A, D)
  const int64_t half = cos.extent[1] / 2;
  const bool rounds = round.direct.precision == Precision::working && round.direct.working != DType::f32;
  const auto turned = [&](int64_t p, int64_t d, float value, float partner) {
    const float crossed = at(round.crossed, partner * static_cast<float>(sin(p, d)));
    const auto c = static_cast<float>(cos(p, d));
    return at(round.out, rounds ? at(round.direct, value * c) + crossed : math.multiply_add(value, c, crossed));
  };
  for (int64_t p = 0; p < x.extent[0]; ++p) {
    for (int64_t a = 0; a < x.extent[1]; ++a) {
      for (int64_t d = 0; d < half; ++d) {
        const auto first = static_cast<float>(x(p, a, d)), second = static_cast<float>(x(p, a, half + d));
        y(p, a, d) = turned(p, d, first, -second);
        y(p, a, half + d) = turned(p, half + d, second, first);
      }
      for (int64_t d = 2 * half; d < x.extent[2]; ++d) y(p, a, d) = x(p, a, d);
    }
  }
}

/// Returns base and exponent of 2^(-8 (a + 1) / A). With ALiBi's interpolation, late heads use every second slope.
std::pair<double, double> base_and_exponent(int64_t a, int64_t heads, bool interpolated) {
  int64_t lower = 1;
  while (2 * lower <= heads) lower *= 2;
  const bool after = interpolated && a >= lower;
  const int64_t of = !interpolated ? heads : after ? 2 * lower : lower;
  return {std::exp2(-8.0 / static_cast<double>(of)), static_cast<double>(after ? 2 * (a - lower) + 1 : a + 1)};
}

void copy(const TensorView& from, const TensorView& to) {
  const auto x = from.as<double, 3>(), y = to.as<double, 3>();
  for (int64_t a = 0; a < x.extent[0]; ++a) {
    for (int64_t i = 0; i < x.extent[1] * x.extent[2]; ++i)
      y(a, i / x.extent[2], i % x.extent[2]) = x(a, i / x.extent[2], i % x.extent[2]);
  }
}

void lightning_tables(const LightningTables::Inputs& in, const LightningTables::Params& params,
                      const LightningTables::Outputs& out, const LightningTables::Points& round,
                      const Arithmetic& math) {
  if (!in.stored_slope_rate.empty()) {
    copy(in.stored_slope_rate, out.slope_rate);
    copy(in.stored_query_decay, out.query_decay);
    copy(in.stored_key_decay, out.key_decay);
    return copy(in.stored_diagonal_decay, out.diagonal_decay);
  }
  const auto diagonal = out.diagonal_decay.as<double, 3>();                                                 // (A, Q, Q)
  const int64_t heads = diagonal.extent[0], block = diagonal.extent[1];
  const double depth =
      static_cast<double>(params.layer) / (static_cast<double>(params.layers - 1) + params.depth_epsilon);
  const auto factor = static_cast<float>(1.0 - depth + 1e-5);
  for (int64_t a = 0; a < heads; ++a) {
    const auto [base, exponent] = base_and_exponent(a, heads, params.interpolated);
    const float power = at(round.power, static_cast<float>(std::pow(round.base(base), exponent)));
    const float slope = at(round.slope, power * factor);
    out.slope_rate.as<double, 3>()(a, 0, 0) = slope;
    Row decays;  // indexed by distance
    for (int64_t i = 0; i <= block; ++i)
      decays.push_back(at(round.decay, math.exponential(at(round.exponent, -slope * static_cast<float>(i)))));
    for (int64_t i = 0; i < block; ++i) {
      out.query_decay.as<double, 3>()(a, i, 0) = decays[static_cast<size_t>(i + 1)];
      out.key_decay.as<double, 3>()(a, i, 0) = decays[static_cast<size_t>(block - 1 - i)];
      for (int64_t j = 0; j < block; ++j) diagonal(a, i, j) = j > i ? 0.0F : decays[static_cast<size_t>(i - j)];
    }
  }
}

}  // namespace

void add_table_kernels(CorrectKernels& kernels) {
  kernels["vision_rotary_tables"] = correct_kernel<VisionRotaryTables>(vision_rotary_tables);
  kernels["vision_rope"] = correct_kernel<VisionRope>(vision_rope);
  kernels["lightning_tables"] = correct_kernel<LightningTables>(lightning_tables);
}

}  // namespace parity::cases

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/drawn/coded_cache.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/components/cache/cache_dequantise.hpp"
#include "core/components/cache/cache_quantise.hpp"

namespace parity::cases {
namespace {

constexpr double kMostCode = 448.0, kLeastNormal = 0x1p-6, kLeastCode = 0x1p-9;

/// Any number of e4m3.
double any_code(CaseMaker& m) {
  const int64_t kind = m.from(0, 7);
  const double sign = m.coin() ? 1.0 : -1.0;
  if (kind == 0) return sign * 0.0;
  if (kind == 1) return sign * kLeastCode * static_cast<double>(m.from(1, 7));  // below the normal numbers
  if (kind == 2) return sign * kMostCode;
  return std::clamp(round_to(DType::e4m3fn, 16.0 * m.normal()), -kMostCode, kMostCode);
}

/// The boundary between a code and the one after it, in magnitude.
double between_codes(CaseMaker& m) {
  const double code = any_code(m), magnitude = std::abs(code);
  const int exponent = magnitude < kLeastNormal ? -6 : std::ilogb(magnitude);
  return std::copysign(magnitude + std::exp2(exponent - 4), code);
}

/// A quotient before it is rounded: often a code, a boundary between two, or beyond the largest. In the special lane
/// many infinities, because each of a vector's elements has instructions of its own.
double any_quotient(CaseMaker& m) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (m.spoils()) return m.one_of<double>({kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()});
  const int64_t kind = m.from(0, 7);
  if (kind == 0) return any_code(m);
  if (kind == 1) return between_codes(m);
  if (kind == 2) return (m.coin() ? 1.0 : -1.0) * kMostCode * (1.0 + 2.0 * m.uniform());
  if (kind == 3) return kLeastNormal * m.normal();
  return 16.0 * m.normal();
}

/// A scale that is no power of two, so that quotients round. A third are a few ulps beside one: there a number that is a
/// boundary between two codes has a quotient just above or below it. For one boundary the distance is a power of two in
/// ulps, so that a single bit decides.
double any_scale(CaseMaker& m, double& boundary) {
  boundary = std::abs(between_codes(m));
  if (m.from(0, 2) != 0) return round_to(DType::f32, 0.05 + m.uniform());
  const double ulp = std::exp2(std::ilogb(boundary) - 23), sign = m.coin() ? 1.0 : -1.0;
  const double quotient = boundary + sign * std::exp2(static_cast<double>(m.from(3, 12))) * ulp;
  return round_to(DType::f32, boundary / quotient);
}

struct HeadScale {
  double scale = 1.0, boundary = 0.0;  // boundary: a quotient that is drawn often
};

/// Draws one scale for each head; in exact cases a power of two.
std::vector<HeadScale> draw_scales(CaseMaker& m) {
  std::vector<HeadScale> heads(static_cast<size_t>(m.size('G')));
  for (HeadScale& head : heads) {
    head.scale = any_scale(m, head.boundary);
    if (m.lane() == Lane::exact) head.scale = std::exp2(static_cast<double>(m.from(-4, 4)));
  }
  m.numbers("scale", "G", TapType::wide, [&](int64_t g) { return heads[static_cast<size_t>(g)].scale; });
  m.stored("scale", DType::f32);
  return heads;
}

void cache_extents(CaseMaker& m, char slots) {
  m.range('B', 1, 2);
  m.range('G', 2, 4);
  m.extent(slots, 33);
  m.extent('D', 129);
}

void draw_rows_to_quantise(CaseMaker& m) {
  const std::vector<HeadScale> heads = draw_scales(m);
  const int64_t row = m.size('S') * m.size('D');
  m.numbers("x", "B,G,S,D", TapType::working, [&](int64_t i) {
    const HeadScale& head = heads[static_cast<size_t>(i / row % m.size('G'))];
    // Not times the scale: if that is beside 1, the quotient is beside the boundary.
    return m.from(0, 7) == 0 ? head.boundary : head.scale * any_quotient(m);
  });
}

void draw_coded_rows(CaseMaker& m) {
  draw_scales(m);
  m.codes("codes", "B,G,K,D", [&] { return any_code(m); });
}

void cache_quantise(CaseMaker& m) {
  cache_extents(m, 'S');
  draw_rows_to_quantise(m);
  m.output("codes", "B,G,S,D");
  m.stored("codes", DType::e4m3fn);
}

void cache_dequantise(CaseMaker& m) {
  cache_extents(m, 'K');
  draw_coded_rows(m);
  m.output("out", "B,G,K,D");
}

/// Divides, or multiplies by a reciprocal; then takes the nearest of all codes, the even one of two.
void quantise_by_search(const CacheQuantise::Inputs& in, const CacheQuantise::Params&,
                        const CacheQuantise::Outputs& out, const CacheQuantise::Points& round, const Arithmetic& math) {
  const auto x = in.x.as<double, 4>();                                                                   // (B, G, S, D)
  const auto scale = in.scale.as<double, 1>();                                                                    // (G)
  const auto y = out.codes.as<double, 4>();                                                              // (B, G, S, D)
  std::vector<double> codes;
  for (int64_t code = 0; code < 0x7F; ++code) {
    const int64_t exponent = std::max<int64_t>(code / 8, 1);
    codes.push_back(std::ldexp(static_cast<double>(code % 8 + (code < 8 ? 0 : 8)), static_cast<int>(exponent) - 10));
  }
  const auto nearest = [&](double number) {
    if (std::isnan(number)) return number;
    const double magnitude = std::min(std::abs(number), kMostCode);
    const auto above = static_cast<size_t>(std::lower_bound(codes.begin(), codes.end(), magnitude) - codes.begin());
    if (above == 0) return std::copysign(codes[0], number);
    const double below = magnitude - codes[above - 1], beyond = codes[above] - magnitude;
    const bool down = below < beyond || (below == beyond && above % 2 == 1);
    return std::copysign(codes[down ? above - 1 : above], number);
  };
  for (int64_t i = 0; i < x.extent[0] * x.extent[1] * x.extent[2] * x.extent[3]; ++i) {
    const int64_t d = i % x.extent[3], s = i / x.extent[3] % x.extent[2];
    const int64_t g = i / x.extent[3] / x.extent[2] % x.extent[1], b = i / x.extent[3] / x.extent[2] / x.extent[1];
    const float quotient = math.quotient(static_cast<float>(x(b, g, s, d)), static_cast<float>(scale(g)));
    y(b, g, s, d) = nearest(static_cast<double>(at(round.quotient, quotient)));
  }
}

/// Head by head. Every operation is prescribed, so there is no other correct arithmetic.
void dequantise_by_heads(const CacheDequantise::Inputs& in, const CacheDequantise::Params&,
                         const CacheDequantise::Outputs& out, const CacheDequantise::Points& round,
                         const Arithmetic& math) {
  const auto codes = in.codes.as<double, 4>();                                                           // (B, G, K, D)
  const auto scale = in.scale.as<double, 1>();                                                                    // (G)
  const auto y = out.out.as<double, 4>();                                                                // (B, G, K, D)
  for (int64_t g = 0; g < codes.extent[1]; ++g) {
    for (const int64_t k : math.visits(codes.extent[2])) {
      for (int64_t b = 0; b < codes.extent[0]; ++b) {
        for (int64_t d = 0; d < codes.extent[3]; ++d)
          y(b, g, k, d) = at(round.out, static_cast<float>(codes(b, g, k, d)) * static_cast<float>(scale(g)));
      }
    }
  }
}

}  // namespace

void add_coded_cache_recipes(Recipes& recipes) {
  recipes["cache_quantise"] = cache_quantise;
  recipes["cache_dequantise"] = cache_dequantise;
}

/// Quotients by powers of two are exact, and ties go to the even code in every correct kernel.
void add_exact_coded_cache(Recipes& recipes) {
  recipes["cache_quantise"] = draw_rows_to_quantise;
  recipes["cache_dequantise"] = draw_coded_rows;
}

void add_coded_cache_kernels(CorrectKernels& kernels) {
  kernels["cache_quantise"] = correct_kernel<CacheQuantise>(quantise_by_search);
  kernels["cache_dequantise"] = correct_kernel<CacheDequantise>(dequantise_by_heads);
}

}  // namespace parity::cases

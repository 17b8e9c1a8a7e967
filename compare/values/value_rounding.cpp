// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds wrong values that were rounded once more, to a coarser grid, or toward zero.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "compare/values/value_view.hpp"

namespace parity::compare {
namespace {

/// Binary numbers with `bits` significant bits and smallest normal exponent `min_exponent`.
struct Grid {
  std::string name;
  int bits = 0;
  int min_exponent = 0;
  double largest = 0.0;

  [[nodiscard]] double step(double x) const {
    const int exponent = x == 0.0 ? min_exponent : std::max(std::ilogb(x), min_exponent);
    return std::ldexp(1.0, exponent - bits + 1);
  }
  [[nodiscard]] double nearest(double x) const {
    const double unit = step(x);
    const double result = std::nearbyint(x / unit) * unit;
    return std::abs(result) > largest ? std::copysign(largest, x) : result;  // saturates; infinities are apart
  }
  [[nodiscard]] double toward_zero(double x) const {
    const double unit = step(x);
    const double result = std::trunc(x / unit) * unit;
    return std::abs(result) > largest ? std::copysign(largest, x) : result;
  }
  [[nodiscard]] bool holds(double x) const { return std::isfinite(x) && x == nearest(x); }
};

Grid grid_of(DType dtype, const std::string& name) {
  const FloatFormat& format = format_of(dtype);
  return {name, format.significand_bits, format.min_exponent, format.largest};
}

/// Returns the grids of types narrower than the tap's, widest first.
std::vector<Grid> narrower(DType dtype) {
  constexpr int kTf32Bits = 11;
  std::vector<Grid> all;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::e4m3fn, DType::e5m2})
    all.push_back(grid_of(type, to_string(type)));
  const FloatFormat& single = format_of(DType::f32);
  all.push_back({"tf32", kTf32Bits, single.min_exponent, single.largest});
  std::erase_if(all, [&](const Grid& grid) { return grid.bits >= format_of(dtype).significand_bits; });
  std::stable_sort(all.begin(), all.end(), [](const Grid& a, const Grid& b) { return a.bits > b.bits; });
  return all;
}

/// Returns the number of significant bits of a number.
int significant_bits(double x) {
  constexpr int kWhole = 53;
  if (x == 0.0 || !std::isfinite(x)) return 0;
  int exponent = 0;
  auto whole = static_cast<int64_t>(std::ldexp(std::abs(std::frexp(x, &exponent)), kWhole));
  int bits = kWhole;
  for (; whole % 2 == 0; whole /= 2) --bits;
  return bits;
}

/// Returns the coarsest grid of any width that contains nearly all wrong values.
Grid grid_of_values(const ValueView& view) {
  std::vector<int> bits;
  for (const int64_t i : view.wrong()) bits.push_back(significant_bits(view.got(i)));
  const auto at = bits.begin() + static_cast<int64_t>(kNearlyAll * static_cast<double>(bits.size() - 1) + 0.5);
  std::nth_element(bits.begin(), at, bits.end());
  const FloatFormat& own = format_of(view.query().dtype);
  return {fmt::format("{} significant bits", *at), *at, own.min_exponent, own.largest};
}

enum class Way : uint8_t { nearest, toward_zero };

double on_grid(const Grid& grid, Way way, double x) {
  return way == Way::nearest ? grid.nearest(x) : grid.toward_zero(x);
}

/// Returns the number of wrong elements that equal an expected value rounded to the grid.
int64_t holding(const ValueView& view, const Grid& grid, Way way) {
  return std::count_if(view.wrong().begin(), view.wrong().end(), [&](int64_t i) {
    const double got = view.got(i), expected = view.expected(i), slack = view.slack(i);
    if (std::isinf(got) && std::isfinite(expected)) return std::abs(expected) >= grid.largest;
    return grid.holds(got) && on_grid(grid, way, expected - slack) <= got &&
           got <= on_grid(grid, way, expected + slack);
  });
}

void add(const ValueView& view, const Grid& grid, std::vector<Claim>& claims) {
  constexpr double kBitsOfAGrid = 6.0;  // choice among all widths, in two ways
  const int own = format_of(view.query().dtype).significand_bits;
  for (const Way way : {Way::nearest, Way::toward_zero}) {
    const bool nearest = way == Way::nearest;
    const int64_t holds = holding(view, grid, way);
    const double evidence = static_cast<double>(holds) * (own - grid.bits) - kBitsOfAGrid;
    claims.push_back({nearest ? ValueKind::rounded : ValueKind::truncated, view.axis(),
                      fmt::format("{} {} to {}", view.place(), nearest ? "rounded once more," : "truncated", grid.name),
                      holds, evidence});
  }
}

/// Adds the claims of a grid of no type, unless a type explains as much: a few values of a type may lie on it by chance.
void add_unnamed(const ValueView& view, const Grid& grid, std::vector<Claim>& claims) {
  std::vector<Claim> unnamed;
  add(view, grid, unnamed);
  const auto most = [](const std::vector<Claim>& of) {
    int64_t result = 0;
    for (const Claim& claim : of) result = std::max(result, claim.explained);
    return result;
  };
  if (most(unnamed) > most(claims)) claims.insert(claims.end(), unnamed.begin(), unnamed.end());
}

/// Adds the claim that the last rounding, to the recorded type, was toward zero. Only bits show this, because the
/// values nearly agree: each wrong element is below the exact value, which by chance holds for one in two.
void add_own(const ValueView& view, std::vector<Claim>& claims) {
  const ValueQuery& query = view.query();
  if (!view.by_bits() || format_of(query.dtype).significand_bits > format_of(DType::f16).significand_bits) return;
  constexpr double kNoise = 64.0;  // u of binary32: difference of exact and binary32 values after about one sum
  const Grid grid = grid_of(query.dtype, to_string(query.dtype));
  const auto truncated = [&](int64_t i) {
    const double slack = kNoise * unit_roundoff(DType::f32) * std::abs(query.exact[i]);
    return grid.toward_zero(query.exact[i] - slack) <= view.got(i) &&
           view.got(i) <= grid.toward_zero(query.exact[i] + slack);
  };
  const auto holds = std::count_if(view.wrong().begin(), view.wrong().end(), truncated);
  int64_t all = 0;
  for (int64_t i = 0; i < query.count; ++i) all += truncated(i) ? 1 : 0;
  // Other elements have the right bits: they are outside the slice, or both roundings give the same number.
  const bool tap = static_cast<double>(all) >= kNearlyAll * static_cast<double>(query.count);
  const bool slice = view.region().failed < view.region().elements && !view.region().scattered();
  if (!tap && !slice) return;
  claims.push_back({ValueKind::truncated, view.axis(),
                    fmt::format("{} truncated to {} instead of rounded to nearest", view.place(), grid.name), holds,
                    static_cast<double>(holds)});
}

}  // namespace

std::vector<Claim> claims_of_rounding(const ValueView& view) {
  std::vector<Claim> claims;
  if (!is_float(view.query().dtype) || view.wrong().empty()) return claims;
  const auto nearly_all_on = [&](const Grid& grid) {
    const auto on = std::count_if(view.wrong().begin(), view.wrong().end(),
                                  [&](int64_t i) { return grid.holds(view.got(i)) || std::isinf(view.got(i)); });
    return static_cast<double>(on) >= kNearlyAll * static_cast<double>(view.wrongs());
  };
  for (const Grid& grid : narrower(view.query().dtype)) {
    if (nearly_all_on(grid)) add(view, grid, claims);
  }
  const Grid any = grid_of_values(view);
  constexpr int kFewest = 2;  // no type has a grid of only powers of two
  if (any.bits >= kFewest && any.bits < format_of(view.query().dtype).significand_bits) add_unnamed(view, any, claims);
  add_own(view, claims);
  return claims;
}

}  // namespace parity::compare

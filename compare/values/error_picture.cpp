// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/error_picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "compare/judging/elements.hpp"
#include "compare/judging/tolerance.hpp"
#include "compare/values/slices.hpp"

namespace parity::compare {
namespace {

constexpr int64_t kCells = 64;
constexpr size_t kOctaves = 40;
constexpr size_t kWorst = 16;
constexpr int kCoarsest = 20;  // errors of 2^20 ulp and more share a bin

ErrorMap empty_map(const std::string& axes, const Shape& shape) {
  ErrorMap map;
  const size_t comma = axes.rfind(',');
  map.column_axis = comma == std::string::npos ? axes : axes.substr(comma + 1);
  map.row_axes = comma == std::string::npos ? "" : axes.substr(0, comma);
  map.column_extent = shape.empty() ? 1 : std::max<int64_t>(shape.back(), 1);
  map.row_extent = std::max<int64_t>(element_count(shape) / map.column_extent, 1);
  map.rows = std::min(map.row_extent, kCells);
  map.columns = std::min(map.column_extent, kCells);
  map.budget.assign(static_cast<size_t>(map.rows * map.columns), 0.0);
  return map;
}

void add(ErrorMap& map, int64_t i, double budget) {
  const int64_t row = i / map.column_extent * map.rows / map.row_extent;
  const int64_t column = i % map.column_extent * map.columns / map.column_extent;
  double& cell = map.budget[static_cast<size_t>(row * map.columns + column)];
  cell = std::max(cell, budget);
}

/// Returns 0 for no error, 1 for at most one ulp, 2 for at most two, 3 for at most four, …, with the error's sign.
int bin_of(double ulp) {
  if (ulp == 0.0) return 0;
  const double size = std::abs(ulp);
  const int bin = size <= 1.0 ? 1 : 1 + static_cast<int>(std::ceil(std::log2(size)));
  return ulp < 0.0 ? -std::min(bin, kCoarsest + 2) : std::min(bin, kCoarsest + 2);
}

/// Returns the larger border of the bin. The last bin has none.
double border(int bin) { return bin <= 0 ? 0.0 : bin > kCoarsest + 1 ? HUGE_VAL : std::exp2(bin - 1); }

UlpBin ulp_bin(int bin, int64_t elements) {
  const double near = std::abs(bin) <= 1 ? 0.0 : border(std::abs(bin) - 1), far = border(std::abs(bin));
  return bin < 0 ? UlpBin{-far, -near, elements} : UlpBin{near, far, elements};
}

/// Returns the octave of a magnitude; zero has the lowest one that any exact value has.
int octave_of(double exact) {
  int exponent = -1100;  // below every number
  if (exact != 0.0) static_cast<void>(std::frexp(exact, &exponent));
  return exponent;
}

void add(MagnitudeBin& bin, double error, double allowed) {
  ++bin.elements;
  if (!std::isfinite(error)) return;
  bin.largest = std::max(bin.largest, error);
  bin.rms += error * error;  // divided, and its root taken, when all elements are in
  if (std::isfinite(allowed)) bin.allowed = std::max(bin.allowed, allowed);
}

std::vector<MagnitudeBin> finished(const std::map<int, MagnitudeBin>& octaves) {
  std::vector<MagnitudeBin> bins;
  for (const auto& [octave, sums] : octaves) {
    MagnitudeBin bin = sums;
    bin.from = octave == -1100 ? 0.0 : std::ldexp(1.0, octave - 1);
    bin.to = octave == -1100 ? 0.0 : std::ldexp(1.0, octave);
    bin.rms = std::sqrt(bin.rms / static_cast<double>(bin.elements));
    bins.push_back(bin);
  }
  if (bins.size() > kOctaves) bins.erase(bins.begin(), bins.end() - static_cast<std::ptrdiff_t>(kOctaves));
  return bins;
}

double signed_ulp(const Values& v, int64_t i) {
  return std::copysign(ulp_distance(v.dtype, v.got[i], v.rounded[i]), v.got[i] - v.rounded[i]);
}

/// Keeps the kWorst elements of the largest used budget, in the order of the elements where several are equal.
class WorstElements {
 public:
  void add(int64_t i, double budget) {
    if (!(budget > 0.0) || (kept_.size() == kWorst && budget <= kept_.back().first)) return;
    const auto after = std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.first < budget; });
    kept_.insert(after, {budget, i});
    if (kept_.size() > kWorst) kept_.pop_back();
  }
  [[nodiscard]] std::vector<WorstElement> of(const Values& v, const Shape& shape) const {
    std::vector<WorstElement> list;
    for (const auto& [budget, i] : kept_)
      list.push_back({index_of(i, shape), v.exact[i], v.rounded[i], v.got[i], signed_ulp(v, i), budget});
    return list;
  }

 private:
  std::vector<std::pair<double, int64_t>> kept_;
};

}  // namespace

ErrorPicture picture_of(const Values& v, const std::string& axes, const Shape& shape) {
  const Tolerance tolerance(v);
  ErrorPicture picture{empty_map(axes, shape), {}, 0, {}, {}};
  std::map<int, int64_t> ulps;
  std::map<int, MagnitudeBin> octaves;
  WorstElements worst;
  for (int64_t i = 0; i < v.count; ++i) {
    const double budget = budget_of(v, tolerance, i);
    add(picture.map, i, budget);
    worst.add(i, budget);
    if (std::isfinite(v.exact[i]))
      add(octaves[octave_of(v.exact[i])], std::abs(v.got[i] - v.exact[i]), tolerance.at(i));
    const double ulp = signed_ulp(v, i);
    if (std::isfinite(v.got[i]) && std::isfinite(v.rounded[i]) && std::isfinite(ulp))
      ++ulps[bin_of(ulp)];
    else
      ++picture.no_numbers;
  }
  for (const auto& [bin, elements] : ulps) picture.ulp.push_back(ulp_bin(bin, elements));
  picture.magnitude = finished(octaves);
  picture.worst = worst.of(v, shape);
  return picture;
}

}  // namespace parity::compare

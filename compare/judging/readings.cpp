// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/readings.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parity::compare {
namespace {

constexpr size_t kMostPoints = 6;  // up to this number of points, every subset is tried

/// Returns the points at which the oracle rounds to T: a kernel may keep binary32 at any of them. An output's last
/// point is included. It makes no difference, because the stored value is rounded to T anyway.
std::vector<std::string> working_points(const ReadingsOf& what) {
  std::vector<std::string> points;
  for (const auto& [name, precision] : what.definition.points) {
    const auto row = what.table.find(what.node.component + "." + name);
    const Precision used = row == what.table.end() ? precision : row->second;
    if (used == Precision::working) points.push_back(name);
  }
  return points;
}

Reading fewer_roundings(const std::vector<std::string>& widened) {
  Reading reading;
  reading.variation.widened = widened;
  reading.kind = "rounding";
  reading.text = fmt::format("does not round at {}", fmt::join(widened, ", "));
  return reading;
}

/// Returns readings without the roundings at a proper subset of the points. Without any, it is By::exact.
std::vector<Reading> rounding_readings(const std::vector<std::string>& points) {
  std::vector<Reading> readings;
  const bool every = points.size() <= kMostPoints;
  if (points.empty()) return readings;
  const uint32_t all = every ? (1U << points.size()) - 1U : 0;
  std::vector<uint32_t> subsets;
  for (uint32_t subset = 1; subset < all; ++subset) subsets.push_back(subset);
  std::stable_sort(subsets.begin(), subsets.end(),
                   [](uint32_t a, uint32_t b) { return std::popcount(a) > std::popcount(b); });
  for (const uint32_t subset : subsets) {
    std::vector<std::string> widened;
    for (size_t i = 0; i < points.size(); ++i) {
      if ((subset >> i & 1U) != 0) widened.push_back(points[i]);
    }
    readings.push_back(fewer_roundings(widened));
  }
  for (size_t i = 0; i < points.size() && !every; ++i) {  // too many subsets: tries each point singly, kept or left out
    std::vector<std::string> others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    readings.push_back(fewer_roundings(others));
    readings.push_back(fewer_roundings({points[i]}));
  }
  return readings;
}

/// Returns the reading with the oracle's roundings, and with only the last one.
std::vector<Reading> with_and_without(const Reading& reading, const std::vector<std::string>& points) {
  std::vector<Reading> readings{reading};
  if (points.empty()) return readings;
  readings.push_back(reading);
  readings.back().variation.widened = points;
  readings.back().text += "; rounds once";
  return readings;
}

Reading published_weights() {
  Reading reading;
  reading.variation.published = true;
  reading.kind = "weights";
  reading.text = "uses the checkpoint's weights without rounding them";
  return reading;
}

std::vector<Reading> fusion_readings(const ReadingsOf& what, const std::vector<std::string>& points) {
  std::vector<Reading> readings;
  for (int depth = 1; depth <= kDeepestFusion; ++depth) {
    for (const auto& [field, operands] : what.node.inputs) {
      if (operands.size() != 1 || operands.front().kind != Operand::Kind::tap) continue;
      Reading reading;
      reading.variation.unrounded = field;
      reading.variation.depth = depth;
      reading.kind = "fusion";
      reading.text = fmt::format("reads {} unrounded{}", field,
                                 depth > 1 ? fmt::format(", {} operations in a row fused", depth + 1) : "");
      for (const bool published : {false, true}) {
        if (published && !what.rounds_weights) continue;
        reading.variation.published = published;
        if (published) reading.text += ", with the weights' type of the checkpoint";
        for (Reading& one : with_and_without(reading, points)) readings.push_back(std::move(one));
      }
    }
  }
  return readings;
}

Reading coarse_functions(double ulps) {
  Reading reading;
  reading.variation.function_ulps = ulps;
  reading.kind = "function";
  reading.text = fmt::format("computes elementary functions to within {} ulp of binary32", ulps);
  return reading;
}

}  // namespace

int64_t sharing_of(const Definition& definition, const std::string& axes, const AxisSizes& sizes) {
  const auto channels = sizes.find('D');
  const bool heads = axes == "AD" || axes.ends_with(",AD") || axes.ends_with(",D");
  const bool attention = std::string(definition.traits.part) == "attention";
  return attention && heads && channels != sizes.end() ? channels->second : 0;
}

std::vector<Reading> readings_of(const ReadingsOf& what) {
  const std::vector<std::string> points =
      what.narrow && !what.oracles_roundings ? working_points(what) : std::vector<std::string>{};
  std::vector<Reading> readings;
  if (!points.empty()) readings.push_back({Reading::By::exact, {}, "rounding", "computes in binary32 and rounds once"});
  if (!points.empty() && !what.definition.traits.elementwise)
    readings.push_back({Reading::By::bounds, {}, "rounding", "other rounding points"});
  const auto add = [&](std::vector<Reading> more) {
    readings.insert(readings.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  add(rounding_readings(points));
  if (what.narrow && what.rounds_weights && !what.oracles_roundings) add(with_and_without(published_weights(), points));
  if (what.narrow && what.fuses && !what.oracles_roundings) add(fusion_readings(what, points));
  if (what.definition.functions) add(with_and_without(coarse_functions(what.function_ulps), points));
  return readings;
}

}  // namespace parity::compare

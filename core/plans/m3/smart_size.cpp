// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/m3/smart_size.hpp"

#include <algorithm>
#include <cmath>

namespace parity {
namespace {

constexpr double kMostRatio = 200.0;

double real(int64_t x) { return static_cast<double>(x); }

}  // namespace

std::optional<ImageSize> smart_size(const ImageSize& size, const SizeRule& rule) {
  const auto [h, w] = size;
  if (h < 1 || w < 1 || rule.factor < 1 || rule.most < 1) return std::nullopt;
  if (real(std::max(h, w)) / real(std::min(h, w)) > kMostRatio) return std::nullopt;
  const double factor = real(rule.factor);
  const auto nearest = [&](int64_t side) {
    const auto multiple = static_cast<int64_t>(std::nearbyint(real(side) / factor)) * rule.factor;
    return rule.whole_side ? multiple : std::max(rule.factor, multiple);
  };
  const auto below = [&](int64_t side, double beta) {
    const auto multiple = static_cast<int64_t>(std::floor(real(side) / beta / factor)) * rule.factor;
    return rule.whole_side ? std::max(rule.factor, multiple) : multiple;
  };
  const auto above = [&](int64_t side, double beta) {
    return static_cast<int64_t>(std::ceil(real(side) * beta / factor)) * rule.factor;
  };
  const ImageSize rounded{nearest(h), nearest(w)};
  if (rounded.height * rounded.width > rule.most) {
    const double beta = std::sqrt(real(h * w) / real(rule.most));
    return ImageSize{below(h, beta), below(w, beta)};
  }
  if (rounded.height * rounded.width < rule.least) {
    const double beta = std::sqrt(real(rule.least) / real(h * w));
    return ImageSize{above(h, beta), above(w, beta)};
  }
  return rounded;
}

}  // namespace parity

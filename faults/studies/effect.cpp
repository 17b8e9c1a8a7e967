// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/effect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parity::faults {

Effect effect_of(const Tensor& recorded, const Tensor& damaged) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Effect effect;
  double largest = 0.0;
  double change = 0.0;
  const int64_t count = recorded.view().count();
  for (int64_t i = 0; i < count; ++i) {
    const double before = recorded.view().value(i);
    const double after = damaged.view().value(i);
    if (std::isfinite(before)) largest = std::max(largest, std::abs(before));
    if (before == after || (std::isnan(before) && std::isnan(after))) continue;
    ++effect.changed;
    change = std::isfinite(before) && std::isfinite(after) ? std::max(change, std::abs(after - before)) : kInfinity;
  }
  if (count > 0) effect.share = static_cast<double>(effect.changed) / static_cast<double>(count);
  if (effect.changed > 0) effect.relative = largest == 0.0 ? kInfinity : change / largest;
  return effect;
}

}  // namespace parity::faults

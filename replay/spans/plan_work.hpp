// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The work that a plan asks for, counted from its shapes: no weights and no values are needed.
#pragma once

#include "core/plan.hpp"
#include "core/registry.hpp"

namespace parity::replay {

/// The work of one node, or of several: each reads its operands once and writes its results once. The tokens of a call
/// choose experts evenly, so that a rank with an eighth of the experts has an eighth of their products. Caches grow in
/// place: only new slots are written.
struct PlanWork {
  double flops = 0;    // products and sums, as the components declare them
  double weights = 0;  // bytes of parameters; of a bank, those of the experts that evenly spread choices reach
  double read = 0;     // bytes of taps
  double cached = 0;   // bytes of those that are read from a cache
  double written = 0;  // bytes of taps; optional outputs are not written

  [[nodiscard]] double bytes() const { return weights + read + written; }
  PlanWork& operator+=(const PlanWork& other);
};

[[nodiscard]] PlanWork work_of(const Plan& plan, const Node& node, const Registry& components);
[[nodiscard]] PlanWork work_of(const Plan& plan, const Registry& components);

}  // namespace parity::replay

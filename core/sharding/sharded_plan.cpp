// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/sharded_plan.hpp"

#include <algorithm>

#include "core/sharding/sharder.hpp"

namespace parity {
namespace {

void require_dispatch(const Layout& layout) {
  if (!layout.dispatches()) return;
  PARITY_CHECK(layout.dispatch == kAllToAll || layout.dispatch == kAllGather, usage,
               "--dispatch '{}' is not known; use {} or {}", layout.dispatch, kAllToAll, kAllGather);
  PARITY_CHECK(layout.dp > 1, unsupported, "{}: --dispatch needs data-parallel groups: --dp must be above 1",
               layout.text());
  PARITY_CHECK(layout.cp == 1, unsupported, "{}: --dispatch does not support --cp", layout.text());
  PARITY_CHECK(layout.ep == layout.ranks(), unsupported, "{}: with --dispatch, --ep must equal --tp times --dp ({})",
               layout.text(), layout.ranks());
}

void require(const Plan& single, const Layout& layout) {
  for (const auto& [name, count] : layout.dimensions())
    PARITY_CHECK(count >= 1, usage, "{} {} is impossible; use 1 or more ranks", name, count);
  require_dispatch(layout);
  const bool shared = layout.tp == 1 || layout.ep == 1 || layout.tp == layout.ep;
  PARITY_CHECK(shared || layout.dispatches(), unsupported,
               "{}: without --dispatch, --tp and --ep must be equal, or one of them 1", layout.text());
  const auto other = single.taps.lower_bound("ranks/");
  PARITY_CHECK(other == single.taps.end() || !other->first.starts_with("ranks/"), unsupported,
               "{}: the recording already has several ranks and cannot be divided again", layout.text());
  const bool banks = std::any_of(single.weights.begin(), single.weights.end(),
                                 [](const auto& weight) { return weight.second.members > 0; });
  PARITY_CHECK(layout.ep == 1 || banks, unsupported, "{}: the model has no experts to divide; remove --ep",
               layout.text());
}

}  // namespace

Plan sharded_plan(const Plan& single, const Layout& layout, const Registry& components) {
  if (layout.single() && !layout.dispatches()) return single;
  require(single, layout);
  const std::string package = layout.rules.empty() ? single.profile.substr(0, single.profile.find('-')) : layout.rules;
  const ShardRules* rules = layout.tp > 1 || layout.ep > 1 ? &find_rules(single.system, package) : nullptr;
  return Sharder(single, layout, layout.tp > 1 ? rules : nullptr, components).run();
}

}  // namespace parity

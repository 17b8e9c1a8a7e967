// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/taint.hpp"

#include <algorithm>

#include "compare/slices.hpp"

namespace parity::compare {
namespace {

/// Sequence and token of an element; -1 where the tap has no such axis.
std::pair<int64_t, int64_t> token_of(const std::vector<int64_t>& index, const std::vector<std::string>& axes,
                                     int64_t tokens) {
  std::pair<int64_t, int64_t> result{-1, -1};
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis] == "B") result.first = index[axis];
    if (axes[axis] == "S") result.second = index[axis];
    if (axes[axis] == "N") result = {index[axis] / tokens, index[axis] % tokens};
  }
  return result;
}

}  // namespace

Taint::Taint(const Plan& plan, const Registry& registry) : plan_(plan) {
  for (const Node& node : plan.nodes) {
    const auto& fields = registry.component(node.component).inputs;
    mixing_.push_back(std::any_of(fields.begin(), fields.end(), [](const FieldInfo& f) {
      return f.axes.find('K') != std::string::npos || f.name == "past";
    }));
  }
}

void Taint::add(const replay::Outcome& outcome, const std::string& field) {
  const Node& node = *outcome.node;
  Event event{index_of_node(node), node.step, {}};
  for_each_choice(outcome, field, plan_.sizes_of(node), true, [&](const ChoiceRow& row) {
    const auto verdicts = row.choice.verdicts();
    const bool open = std::find(verdicts.begin(), verdicts.end(), Choice::Verdict::may) != verdicts.end();
    if (open) event.tokens.insert({row.sequence, row.token});
  });
  if (!event.tokens.empty()) events_.push_back(std::move(event));
}

bool Taint::mixes_between(int from, int to, const std::vector<int>* span) const {
  for (int node = from + 1; node <= to; ++node) {
    const bool inside = span == nullptr || std::find(span->begin(), span->end(), node) != span->end();
    if (inside && mixing_[static_cast<size_t>(node)]) return true;
  }
  return false;
}

std::vector<bool> Taint::elements(const Node& node, const TapInfo& tap, const std::vector<int>* span) const {
  if (events_.empty() || !node.sizes.empty()) return {};  // towers run in front of every choice
  const auto axes = split_axes(tap.axes);
  const int64_t tokens = plan_.sizes.at(node.step).at('S');
  const int64_t count = element_count(tap.shape);
  std::vector<bool> result(static_cast<size_t>(count), false);
  for (const Event& event : events_) {
    const bool mixed = mixes_between(event.node, index_of_node(node), span);
    for (int64_t i = 0; i < count; ++i) {
      const auto [b, s] = token_of(parity::compare::index_of(i, tap.shape), axes, tokens);
      for (const auto& [tainted_b, tainted_s] : event.tokens) {
        const bool sequence = b < 0 || b == tainted_b;
        const bool token =
            s < 0 || (mixed ? event.step < node.step || s >= tainted_s : s == tainted_s && event.step == node.step);
        if (sequence && token) result[static_cast<size_t>(i)] = true;
      }
    }
  }
  return result;
}

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/fitting.hpp"

#include <algorithm>
#include <list>

#include "cases/foreign/values.hpp"
#include "cases/native_case.hpp"

namespace parity::cases {
namespace {

const Condition* first_unmet(const Binding& binding, const DrawnCase& drawn) {
  if (binding.conditions.empty()) return nullptr;
  const KernelCall call = native_call(drawn, *binding.definition);
  Arguments outputs(binding.definition->outputs.size());
  std::list<Tensor> kept;
  for (const auto& [field, spec] : call.outputs) {
    const Tensor& tensor = kept.emplace_back(spec.type, spec.shape, spec.axes);
    outputs[static_cast<size_t>(binding.definition->output_index(field))].tensors = {tensor.view()};
  }
  const CallValues values(*binding.definition, call.inputs, outputs, call.params);
  for (const Condition& condition : binding.conditions) {
    if (!condition.holds([&](const std::string& name) { return values.whole(name); })) return &condition;
  }
  return nullptr;
}

/// An extent to try in place of a drawn one.
struct Change {
  char letter = 0;
  int64_t extent = 0;
  double ratio = 1.0;  // to the drawn one, or the reverse
};

/// Numbers of the condition, multiples of them and other drawn extents: the least changes first, for they cost least.
std::vector<Change> changes_for(const Condition& condition, const AxisSizes& drawn) {
  std::vector<Change> all;
  for (const auto& [letter, extent] : drawn) {
    std::vector<int64_t> extents;
    for (const auto& [other, of_other] : drawn) extents.push_back(of_other);
    for (const int64_t number : condition.numbers()) {
      const int64_t below = number < 1 ? 0 : extent - extent % number;
      extents.insert(extents.end(), {below, below + number, number - 1, number, number + 1});
    }
    for (const int64_t one : extents) {
      if (one < 1 || one == extent) continue;
      all.push_back(
          {letter, one, static_cast<double>(std::max(one, extent)) / static_cast<double>(std::min(one, extent))});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Change& a, const Change& b) { return a.ratio < b.ratio; });
  return all;
}

/// Returns the case with one drawn extent changed such that the condition holds.
std::optional<CaseSpec> with_condition(const Binding& binding, const CaseSpec& spec, const Condition& condition) {
  constexpr size_t kMost = 16;          // drawn calls: each costs as much as the case
  constexpr double kMostGrowth = 64.0;  // a call of many more elements would take minutes
  auto changes = changes_for(condition, draw_case(spec).drawn);
  std::erase_if(changes, [&](const Change& change) { return change.ratio > kMostGrowth; });
  if (changes.size() > kMost) changes.resize(kMost);
  for (const Change& change : changes) {
    CaseSpec changed = spec;
    changed.given[change.letter] = change.extent;
    const DrawnCase drawn = draw_case(changed);
    if (drawn.drawn.at(change.letter) == change.extent && first_unmet(binding, drawn) != &condition) return changed;
  }
  return std::nullopt;
}

}  // namespace

std::string unmet(const Binding& binding, const DrawnCase& drawn) {
  const Condition* condition = first_unmet(binding, drawn);
  return condition == nullptr ? "" : condition->text();
}

std::optional<CaseSpec> fitted(const Binding& binding, const CaseSpec& spec) {
  const size_t most = 2 * binding.conditions.size() + 1;  // a change for one condition may break another
  std::optional<CaseSpec> changed = spec;
  for (size_t i = 0; i < most && changed; ++i) {
    const Condition* condition = first_unmet(binding, draw_case(*changed));
    if (condition == nullptr) return changed;
    changed = with_condition(binding, *changed, *condition);
  }
  return std::nullopt;
}

}  // namespace parity::cases

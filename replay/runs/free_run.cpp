// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/free_run.hpp"

#include "core/text.hpp"
#include "replay/execution/lifetimes.hpp"

namespace parity::replay {
namespace {

/// Returns a tensor with first, first + 1, … along the last axis of every row.
Tensor counting(const TapInfo& info, int64_t first) {
  Tensor result(DType::i64, info.shape, info.axes);
  const int64_t width = info.shape.back();
  for (int64_t i = 0; i < result.view().count(); ++i) result.i64()[i] = first + i % width;
  return result;
}

Tensor ones(const TapInfo& info) {
  Tensor result(DType::i64, info.shape, info.axes);
  std::fill_n(result.i64(), result.view().count(), int64_t{1});
  return result;
}

}  // namespace

FreeRun::FreeRun(const Plan& plan, const Registry& registry, const WeightSource& weights, Evaluator::Lanes lanes)
    : plan_(plan), evaluator_(registry, plan, weights), lanes_(lanes), uses_(last_uses(plan, all_nodes(plan))) {}

void FreeRun::set(const std::string& tap, const Tensor& value) { taps_[tap] = {value, value, {}, {}}; }

std::map<std::string, Tensor> FreeRun::set_tokens(int step, const Tensor& ids) {
  const std::string at = fmt::format("steps/{:03}/tokens/", step);
  const AxisSizes& sizes = plan_.sizes.at(step);
  PARITY_CHECK((ids.shape() == Shape{sizes.at('B'), sizes.at('S')}), internal, "{}input_ids has shape {}", at,
               to_string(ids.shape()));
  std::map<std::string, Tensor> inputs{{at + "input_ids", ids}};
  const auto positions = plan_.taps.find(at + "position_ids");
  const auto used = sizes.find('U');  // of a static cache, which has further slots
  const int64_t filled = (used == sizes.end() ? sizes.at('K') : used->second) - sizes.at('S');
  if (positions != plan_.taps.end()) inputs[positions->first] = counting(positions->second, filled);
  const auto mask = plan_.taps.find(at + "attention_mask");
  if (mask != plan_.taps.end()) inputs[mask->first] = ones(mask->second);
  for (const auto& [tap, value] : inputs) set(tap, value);
  return inputs;
}

void FreeRun::run(int step, const Visit& visit) {
  for (; next_ < plan_.nodes.size() && plan_.nodes[next_].step <= step; ++next_) {
    const Node& node = plan_.nodes[next_];
    const bool both = lanes_ == Evaluator::Lanes::both;  // also needs the values that decided
    Outcome outcome = evaluator_.run(
        node, taps_, [both](const std::string&) { return both; }, lanes_);
    if (both) {
      for (const auto& [field, decision] : outcome.own) evaluator_.force(outcome, field, decision, taps_);
    }
    visit(node, outcome);
    keep_outputs(outcome, taps_);
    release(taps_, uses_, static_cast<int>(next_));
  }
}

}  // namespace parity::replay

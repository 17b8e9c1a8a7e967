// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/engines/bisect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/reference.hpp"
#include "replay/execution/lifetimes.hpp"
#include "replay/spans/walk.hpp"

namespace parity::faults {
namespace {

using replay::Environment;
using replay::Evaluator;

std::string last_output(const Plan& plan, const replay::Recording& inputs) {
  for (size_t i = plan.nodes.size(); i-- > 0;) {
    for (const auto& [field, output] : plan.nodes[i].outputs) {
      if (!is_integer(plan.tap(output.name).type) && inputs.has(output.name) && !plan.tap(output.name).shape.empty())
        return output.name;
    }
  }
  throw Error(ErrorCode::usage, "the golden has no recorded floating-point output to compare");
}

double rms(const Tensor& a, const Tensor& b) {
  double sum = 0.0;
  const int64_t count = a.view().count();
  for (int64_t i = 0; i < count; ++i) {
    const double difference = a.f64()[i] - b.f64()[i];
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(std::max<int64_t>(count, 1)));
}

/// Walks in which the candidate computes the first nodes and the reference the others.
class Hybrid {
 public:
  Hybrid(const Edited& candidate, const Plan& clean, const WeightSource& weights, const replay::Recording& inputs,
         std::string end)
      : misread_(weights, candidate.weights),
        theirs_(*candidate.registry, candidate.plan, misread_),
        ours_(reference::registry(), clean, weights),
        inputs_(inputs),
        end_(std::move(end)) {}

  /// Returns the compared output when the candidate computes the first `taken` nodes.
  [[nodiscard]] replay::TapValue end_of(int64_t taken, Evaluator::Lanes lanes) const {
    Environment taps;
    const auto uses = replay::last_uses(ours_.plan(), replay::all_nodes(ours_.plan()));
    for (size_t i = 0; i < ours_.plan().nodes.size(); ++i) {
      const Evaluator& evaluator = static_cast<int64_t>(i) < taken ? theirs_ : ours_;
      const Node& node = evaluator.plan().nodes[i];
      replay::read_inputs(evaluator.plan(), inputs_, node, taps);
      replay::Outcome outcome = evaluator.run(
          node, taps, [&](const std::string& tap) { return tap == end_; }, lanes);
      replay::keep_outputs(outcome, taps);
      if (taps.contains(end_)) return taps.at(end_);
      replay::release(taps, uses, static_cast<int>(i));
    }
    throw Error(ErrorCode::usage, fmt::format("the model computes no tap {}; name another with --end", end_));
  }

 private:
  EditedWeights misread_;
  Evaluator theirs_, ours_;
  const replay::Recording& inputs_;
  std::string end_;
};

}  // namespace

Bisection bisect(const Edited& candidate, const Plan& clean, const WeightSource& weights,
                 const replay::Recording& inputs, const std::string& end) {
  PARITY_CHECK(candidate.plan.nodes.size() == clean.nodes.size(), internal,
               "the plans of the candidate and of the reference have different nodes");
  Bisection result;
  result.end = end.empty() ? last_output(clean, inputs) : end;
  PARITY_CHECK(clean.taps.contains(result.end) && !is_integer(clean.tap(result.end).type), usage,
               "{} is not a floating-point tap of this model; name another with --end", result.end);
  const Hybrid hybrid(candidate, clean, weights, inputs, result.end);
  const replay::TapValue right = hybrid.end_of(0, Evaluator::Lanes::both);
  const double noise = std::max(rms(right.rounded, right.exact), std::numeric_limits<double>::min());
  const auto wrong = [&](int64_t taken) {
    const double deviation = rms(hybrid.end_of(taken, Evaluator::Lanes::rounded).rounded, right.rounded) / noise;
    result.probes.push_back({taken, deviation, !(deviation <= kWrongEnd)});
    return result.probes.back().wrong;
  };
  auto high = static_cast<int64_t>(clean.nodes.size());  // the output is wrong with this number of candidate nodes
  if (!wrong(high)) return result;
  int64_t low = 0;  // the output is right with this number
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (wrong(middle) ? high : low) = middle;
  }
  result.prefix = clean.nodes[static_cast<size_t>(high - 1)].prefix;
  result.component = clean.nodes[static_cast<size_t>(high - 1)].component;
  return result;
}

}  // namespace parity::faults

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>

#include "cli/walks/walk_parts.hpp"
#include "reference/meter.hpp"
#include "reference/reference.hpp"
#include "replay/execution/parameters.hpp"
#include "replay/spans/plan_work.hpp"

namespace parity::cli {
namespace {

/// The reference computes a layer once, and twice to judge it; the candidate computes it once.
constexpr double kPassesJudged = 4, kReadsJudged = 3;
/// Bytes of an element of a parameter while a node is computed: two numbers of binary64, and the stored one.
constexpr double kHeldPerElement = 2 * 8 + 2;

/// Elements of parameters that a second brings, by reading one tensor of an expert or of attention.
double reading_rate(const Plan& plan, const WeightSource& weights) {
  for (const auto& [name, info] : plan.weights) {
    const std::string published = replay::member_name(info.published.front(), 0);
    if (info.shape.size() != 2 || !weights.contains(published)) continue;
    std::vector<double> values(static_cast<size_t>(element_count(weights.describe(published).shape)));
    if (values.size() < 1000000) continue;
    const auto start = std::chrono::steady_clock::now();
    weights.read(published, values.data());
    return static_cast<double>(values.size()) /
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return 1e8;  // a model this small is walked in no time
}

double node_peak(const Plan& plan, const Node& node) {
  double bytes = 0;
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      const bool tap = operand.kind == Operand::Kind::tap;
      const Shape& shape = tap ? plan.tap(operand.name).shape : plan.weights.at(operand.name).shape;
      bytes += static_cast<double>(element_count(shape)) * kHeldPerElement;
    }
  }
  return bytes;
}

}  // namespace

WalkEstimate::WalkEstimate(const Plan& plan, const std::vector<replay::Stage>& stages, const WeightSource& weights) {
  constexpr long kSize = 512;
  flops_per_second_ = reference::eigen_flops_per_second(kSize);
  elements_per_second_ = reading_rate(plan, weights);
  for (const replay::Stage& stage : stages) {
    Cost cost{stage.layer};
    for (const int index : stage.nodes) {
      const Node& node = plan.nodes[static_cast<size_t>(index)];
      const replay::PlanWork work = replay::work_of(plan, node, reference::registry());
      cost.flops += work.flops;
      cost.bytes += work.weights;
      cost.elements += work.weights / static_cast<double>(size_of(plan.working));
      cost.peak = std::max(cost.peak, node_peak(plan, node));
    }
    costs_.push_back(cost);
  }
}

double WalkEstimate::raw(const Cost& cost, bool judged) const {
  return (judged ? kPassesJudged : 1) * cost.flops / flops_per_second_ +
         (judged ? kReadsJudged : 1) * cost.elements / elements_per_second_;
}

double WalkEstimate::seconds(size_t first, size_t end, const std::set<int>& judged) const {
  double total = 0;
  for (size_t i = first; i < end; ++i) total += raw(costs_[i], judged.contains(costs_[i].layer));
  return expected_ > 0 ? total * measured_ / expected_ : total;
}

double WalkEstimate::bytes_read(size_t first, size_t end, const std::set<int>& judged) const {
  double total = 0;
  for (size_t i = first; i < end; ++i) total += (judged.contains(costs_[i].layer) ? kReadsJudged : 1) * costs_[i].bytes;
  return total;
}

double WalkEstimate::peak_bytes(size_t first, size_t end) const {
  double peak = 0;
  for (size_t i = first; i < end; ++i) peak = std::max(peak, costs_[i].peak);
  return peak;
}

void WalkEstimate::took(size_t stage, bool judged, double seconds) {
  expected_ += raw(costs_[stage], judged);
  measured_ += seconds;
}

}  // namespace parity::cli

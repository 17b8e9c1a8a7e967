// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/probe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "replay/execution/lifetimes.hpp"
#include "replay/spans/walk.hpp"

namespace parity::faults {
namespace {

/// Returns a plan of only the span's nodes. It is small, because every hypothesis copies it.
Plan cut_out(const Plan& plan, const replay::Span& span) {
  Plan cut;
  cut.system = plan.system;
  cut.profile = plan.profile;
  cut.working = plan.working;
  cut.rounding = plan.rounding;
  cut.sizes = plan.sizes;
  cut.aliases = plan.aliases;
  const auto keep_tap = [&](const std::string& name, int producer) {
    TapInfo info = plan.tap(name);
    info.producer = producer;
    cut.taps.insert_or_assign(name, info);
  };
  for (const int index : span.nodes) {
    const Node& node = plan.nodes[static_cast<size_t>(index)];
    for (const auto& [field, list] : node.inputs) {
      for (const Operand& operand : list) {
        if (operand.kind == Operand::Kind::tap && !cut.taps.contains(operand.name)) keep_tap(operand.name, -1);
        if (operand.kind != Operand::Kind::tap) cut.weights[operand.name] = plan.weights.at(operand.name);
      }
    }
    for (const auto& [field, output] : node.outputs) keep_tap(output.name, static_cast<int>(cut.nodes.size()));
    cut.nodes.push_back(node);
  }
  return cut;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Returns the ids with each row sorted, to compare rows without an order as sets.
Tensor sorted_rows(const Tensor& ids) {
  Tensor result = convert(ids.view(), DType::i64);
  const int64_t width = ids.shape().empty() ? 1 : std::max<int64_t>(ids.shape().back(), 1);
  for (int64_t first = 0; first < ids.view().count(); first += width)
    std::sort(result.i64() + first, result.i64() + first + width);
  return result;
}

struct Sums {
  double difference = 0.0, size = 0.0;  // both are sums of squares
  int64_t unequal = 0, count = 0;
};

/// Returns the sums over the computed elements. An empty `uncomputed` means all.
Sums sums_of(const Tensor& ours, const Tensor& got, const std::vector<bool>& uncomputed = {}) {
  Sums sums;
  sums.count = got.view().count();
  for (int64_t i = 0; i < sums.count; ++i) {
    if (!uncomputed.empty() && uncomputed[static_cast<size_t>(i)]) continue;
    const double a = ours.view().value(i), b = got.view().value(i);
    if (std::isfinite(b)) sums.size += b * b;
    if (same(a, b)) continue;
    ++sums.unequal;
    if (std::isfinite(a) && std::isfinite(b)) sums.difference += (a - b) * (a - b);
  }
  return sums;
}

/// Returns the number of elements that are finite on one side only. Such an element counts as wrong by the tap's size.
int64_t masks_apart(const Tensor& ours, const Tensor& got, const std::vector<bool>& uncomputed) {
  int64_t apart = 0;
  for (int64_t i = 0; i < got.view().count(); ++i) {
    if (!uncomputed.empty() && uncomputed[static_cast<size_t>(i)]) continue;
    const double a = ours.view().value(i), b = got.view().value(i);
    if (!same(a, b) && (!std::isfinite(a) || !std::isfinite(b))) ++apart;
  }
  return apart;
}

}  // namespace

Probe::Probe(const Reading& reading, const replay::Span& span, const std::set<std::string>& failing)
    : reading_(reading), plan_(cut_out(reading.base()->plan, span)) {
  for (const std::string& tap : span.judged) {
    if (!failing.contains(tap)) continue;
    measured_.push_back(tap);
    got_[tap] = base().sources.judged.read(tap);
    uncomputed_[tap] = base().sources.judged.uncomputed(tap);
  }
  for (const Node& node : plan_.nodes) {
    const Definition& definition = registry().component(node.component);
    for (const auto& [field, output] : node.outputs) {
      const auto index = static_cast<size_t>(definition.output_index(field));
      if (definition.outputs[index].judge == Judge::expert_set) sets_.insert(output.name);
    }
  }
  right_ = evaluated({});
  start_ = between(right_);
  for (const Node& node : plan_.nodes) {
    for (const auto& [field, output] : node.outputs) {
      if (right_.contains(output.name))
        pairs_.push_back({field, widen(right_.at(output.name).view()), widen(got_.at(output.name).view())});
    }
  }
}

replay::TapValue Probe::recorded(const std::string& tap) const {
  const std::scoped_lock lock(mutex_);
  const auto known = inputs_.find(tap);
  if (known != inputs_.end()) return known->second;
  return inputs_.emplace(tap, replay::recorded_value(base().sources.inputs, tap)).first->second;
}

std::optional<Tensor> Probe::decision(const std::string& tap) const {
  const std::scoped_lock lock(mutex_);
  const auto known = decisions_.find(tap);
  if (known != decisions_.end()) return known->second;
  const replay::TapSource& source = base().sources.decisions;
  std::optional<Tensor> value;
  if (source.has(tap)) value = widen(source.read(tap));
  return decisions_.emplace(tap, std::move(value)).first->second;
}

/// Returns the plan with the taps added that a hypothesis reads and the span does not.
Plan Probe::with_taps(const std::vector<Fault>& besides) const {
  Plan plan = plan_;
  const Plan& whole = reading_.base()->plan;
  for (const auto* list : {&reading_.faults(), &besides}) {
    for (const Fault& fault : *list) {
      for (const Edit& edit : fault.edits) {
        if (!std::holds_alternative<Rewire>(edit)) continue;
        for (const Node& node : plan_.nodes) {
          std::string tap = rewired_tap(std::get<Rewire>(edit), node);
          if (whole.aliases.contains(tap)) tap = whole.aliases.at(tap);
          if (plan.taps.contains(tap) || !whole.taps.contains(tap)) continue;
          plan.taps[tap] = whole.taps.at(tap);
          plan.taps[tap].producer = -1;
        }
      }
    }
  }
  return plan;
}

Probe::Outputs Probe::evaluated(const std::vector<Fault>& besides) const {
  std::vector<Fault> faults = reading_.faults();
  faults.insert(faults.end(), besides.begin(), besides.end());
  const Plan plan = with_taps(besides);
  const auto made = applied(faults, plan);
  const Edited edited = made ? *made : unedited(plan);
  const EditedWeights weights(reading_.opened().weights(), edited.weights);
  const replay::Evaluator evaluator(*edited.registry, edited.plan, weights);
  replay::Environment taps;
  Outputs outputs;
  for (const Node& node : edited.plan.nodes) {
    for (const auto& [field, list] : node.inputs) {
      for (const Operand& operand : list) {
        if (operand.kind == Operand::Kind::tap && !taps.contains(operand.name))
          taps[operand.name] = recorded(operand.name);
      }
    }
    const auto wanted = [&](const std::string& tap) { return got_.contains(tap); };
    replay::Outcome outcome = evaluator.run(node, taps, wanted, replay::Evaluator::Lanes::rounded);
    for (const auto& [field, own] : std::map<std::string, Tensor>(outcome.own)) {
      const std::string& tap = node.outputs.at(field).name;
      if (got_.contains(tap)) outputs[tap] = own;
      const auto taken = decision(tap);
      if (taken && taken->shape() == own.shape()) evaluator.force(outcome, field, *taken, taps);
    }
    for (const auto& [field, value] : outcome.outputs) {
      const std::string& tap = node.outputs.at(field).name;
      if (got_.contains(tap) && !outcome.own.contains(field))
        outputs[tap] = convert(value.rounded.view(), got_.at(tap).dtype());
    }
    replay::keep_outputs(outcome, taps);
  }
  return outputs;
}

int64_t Probe::elements() const {
  return std::accumulate(got_.begin(), got_.end(), int64_t{0},
                         [](int64_t sum, const auto& tap) { return sum + tap.second.view().count(); });
}

Distance Probe::between(const Outputs& outputs) const {
  Distance result;
  for (const std::string& tap : measured_) {
    const Tensor& got = got_.at(tap);
    const auto found = outputs.find(tap);
    if (found == outputs.end() || found->second.shape() != got.shape()) return {1.0, 1.0, 1.0};
    const bool ids = !is_float(got.dtype()), set = sets_.contains(tap);
    const Tensor ours = ids ? convert(found->second.view(), got.dtype()) : found->second;
    const std::vector<bool>& uncomputed = uncomputed_.at(tap);
    const Sums sums = sums_of(ours, got, uncomputed);
    const auto count = static_cast<double>(std::max<int64_t>(sums.count, 1));
    const double apart = static_cast<double>(masks_apart(ours, got, uncomputed)) / count;
    const double relative = sums.size > 0.0 ? sums.difference / sums.size : sums.difference;
    double unequal = static_cast<double>(sums.unequal) / count;
    if (set) unequal = static_cast<double>(sums_of(sorted_rows(ours), sorted_rows(got)).unequal) / count;
    result.rms += std::sqrt((ids ? unequal : relative) + apart) / static_cast<double>(measured_.size());
    result.unequal += unequal / static_cast<double>(measured_.size());
    if (right_.contains(tap))
      result.changed += static_cast<double>(sums_of(ours, convert(right_.at(tap).view(), got.dtype())).unequal) / count;
  }
  return result;
}

std::optional<Probe::Outputs> Probe::mapped(const std::vector<Fault>& besides) const {
  if (besides.size() != 1 || !sets_.empty() || plan_.nodes.size() != 1) return std::nullopt;
  const Node& node = plan_.nodes.front();
  Outputs outputs = right_;
  for (const Edit& edit : besides.front().edits) {
    const auto* map = std::get_if<MapOutput>(&edit);
    if (map == nullptr || !node.outputs.contains(map->field)) return std::nullopt;
    const Operand& output = node.outputs.at(map->field);
    const auto found = outputs.find(output.name);
    if (found == outputs.end() || !is_float(found->second.dtype())) return std::nullopt;
    const TapInfo& info = plan_.tap(output.name);
    const std::string axes = output.axes.empty() ? info.axes : output.axes;
    const AxisSizes sizes = plan_.sizes_of(node);
    const Shape shape = shape_under(plan_, node, axes, info);
    Tensor whole = convert(found->second.view(), DType::f64);
    const TensorView seen = axes == info.axes ? whole.view() : whole.view().view_as(axes, sizes);
    const Tensor x = convert(seen, DType::f64);
    Tensor y(DType::f64, shape);
    apply(placed(map->map, axes, shape, sizes, {}), shape, x.f64(), y.f64());
    for (int64_t i = 0; i < seen.count(); ++i) whole.f64()[seen.offset(i)] = y.f64()[i];
    found->second = convert(whole.view(), found->second.dtype());
  }
  return outputs;
}

std::optional<Distance> Probe::distance(const std::vector<Fault>& besides) const {
  try {
    if (const auto outputs = mapped(besides)) return between(*outputs);
    return between(evaluated(besides));
  } catch (const std::exception&) {  // the plan, or a component with such a number, does not allow the edit
    return std::nullopt;
  }
}

}  // namespace parity::faults

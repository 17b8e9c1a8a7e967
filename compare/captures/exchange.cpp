// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "core/sharding/rank_names.hpp"
#include "reference/reference.hpp"

namespace parity::compare {
namespace {

constexpr const char* kSentParts = "parts";

const std::vector<Operand>& parts_of(const Node& node) { return node.inputs.at(kSentParts); }

replay::Outcome evaluated(const Exchange& exchange, const replay::Evaluator& evaluator,
                          const replay::Environment& taps) {
  replay::Environment all = taps;
  for (const auto& [tap, value] : exchange.others) {
    const Tensor wide = widen(value);
    all[tap] = {wide, wide, {}, {}};
  }
  return evaluator.run(*exchange.node, all, [](const std::string&) { return true; });
}

replay::Environment sent_terms(const Exchange& exchange) {
  replay::Environment taps;
  for (size_t i = 0; i < exchange.parts.size(); ++i) {
    const Tensor wide = widen(exchange.parts[i]);
    taps[exchange.sent[i]] = {wide, wide, {}, {}};
  }
  return taps;
}

}  // namespace

bool adds_parts(const Node& node) { return reference::registry().component(node.component).traits.adds; }

bool is_exchange(const Node& node) {
  const auto parts = node.inputs.find(kSentParts);
  return parts != node.inputs.end() && parts->second.size() > 1 &&
         std::all_of(parts->second.begin(), parts->second.end(),
                     [](const Operand& part) { return rank_of_tap(part.name) >= 0; });
}

const std::string& received_tap(const Node& node) { return node.outputs.begin()->second.name; }

std::set<std::string> taps_between_ranks(const Plan& plan) {
  std::set<std::string> taps;
  for (const auto& [tap, info] : plan.taps) {
    if (is_own_to_rank(plan, tap)) taps.insert(tap);
  }
  for (const Node& node : plan.nodes) {
    if (!is_exchange(node)) continue;
    taps.insert(received_tap(node));
    for (const Operand& part : parts_of(node)) {
      if (plan.tap(part.name).producer >= 0) taps.insert(part.name);
    }
  }
  return taps;
}

std::optional<Exchange> exchange_of(const Node& node, const replay::TapSource& values) {
  Exchange exchange;
  exchange.node = &node;
  exchange.sum = adds_parts(node);
  if (!values.has(received_tap(node))) return std::nullopt;
  for (const Operand& part : parts_of(node)) {
    if (!values.has(part.name)) return std::nullopt;
    exchange.sent.push_back(part.name);
    exchange.senders.push_back(rank_of_tap(part.name));
    exchange.parts.push_back(values.read(part.name));
  }
  for (const auto& [field, list] : node.inputs) {
    for (const Operand& operand : list) {
      if (field == kSentParts || operand.kind != Operand::Kind::tap) continue;
      if (!values.has(operand.name)) return std::nullopt;
      exchange.others[operand.name] = values.read(operand.name);
    }
  }
  exchange.got = values.read(received_tap(node));
  return exchange;
}

std::vector<replay::Span> exchange_spans(const Plan& plan, const replay::TapSource& values) {
  std::vector<replay::Span> spans;
  for (size_t index = 0; index < plan.nodes.size(); ++index) {
    const Node& node = plan.nodes[index];
    if (!is_exchange(node) || !values.has(received_tap(node))) continue;
    replay::Span span{{static_cast<int>(index)}, {}, {received_tap(node)}};
    bool complete = true;
    for (const auto& [field, list] : node.inputs) {
      for (const Operand& operand : list) {
        complete = complete && (operand.kind != Operand::Kind::tap || values.has(operand.name));
        if (operand.kind == Operand::Kind::tap) span.inputs.push_back(operand.name);
      }
    }
    if (complete) spans.push_back(std::move(span));
  }
  return spans;
}

replay::Overlay as_sent(const replay::TapSource& run, const replay::TapSource& recording, bool forced) {
  std::map<std::string, Tensor> recorded;
  const auto take = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::tap && recording.has(operand.name))
      recorded[operand.name] = recording.read(operand.name);
  };
  for (const Node& node : run.plan().nodes) {
    if (!is_exchange(node)) continue;
    for (const Operand& part : parts_of(node)) {
      const TapInfo& info = run.plan().tap(part.name);
      if (forced && info.type == TapType::index && info.producer >= 0) take(part);
    }
    const auto ids = node.inputs.find("indices");  // a run of few taps may lack them
    if (ids != node.inputs.end() && !run.has(ids->second.front().name)) take(ids->second.front());
  }
  return {run.plan(), &run, std::move(recorded)};
}

Right right_of(const Exchange& exchange, const replay::Evaluator& evaluator) {
  const replay::Outcome outcome = evaluated(exchange, evaluator, sent_terms(exchange));
  const replay::TapValue& value = outcome.outputs.begin()->second;
  const int64_t count = value.exact.view().count();
  Right right;
  right.tolerance.assign(static_cast<size_t>(count), 0.0);
  for (int64_t i = 0; i < count; ++i) right.value.push_back(value.exact.view().value(i));
  if (!exchange.sum || value.rounding.empty()) return right;
  const double unit = unit_roundoff(exchange.got.dtype());
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(i);
    right.tolerance[at] = value.rounding.f64()[i] + value.noise.f64()[i] + unit * std::abs(right.value[at]);
  }
  return right;
}

std::vector<double> rounded_of(const Exchange& exchange, const replay::Evaluator& evaluator) {
  const replay::Outcome outcome = evaluated(exchange, evaluator, sent_terms(exchange));
  const TensorView& sum = outcome.outputs.begin()->second.rounded.view();
  std::vector<double> values;
  for (int64_t i = 0; i < sum.count(); ++i) values.push_back(round_to(exchange.got.dtype(), sum.value(i)));
  return values;
}

int64_t term_of(const Exchange& exchange, int64_t i) {
  const auto first = exchange.node->params.find("first_row");
  if (first == exchange.node->params.end()) return i;
  return i + std::get<int64_t>(first->second) * exchange.got.shape().back();
}

std::vector<SentAt> origins_of(const Exchange& exchange, const replay::Evaluator& evaluator) {
  replay::Environment taps;
  std::vector<int64_t> first{1};  // 0 marks what no rank sent
  for (size_t i = 0; i < exchange.parts.size(); ++i) {
    const TensorView& part = exchange.parts[i].view();
    const bool ids = part.dtype == DType::i64;
    Tensor marks(ids ? DType::i64 : DType::f64, part.shape, part.axes);
    for (int64_t j = 0; j < part.count(); ++j) {
      if (ids) marks.i64()[j] = first.back() + j;
      if (!ids) marks.f64()[j] = static_cast<double>(first.back() + j);
    }
    taps[exchange.sent[i]] = {marks, marks, {}, {}};
    first.push_back(first.back() + part.count());
  }
  const replay::Outcome outcome = evaluated(exchange, evaluator, taps);
  const TensorView& gathered = outcome.outputs.begin()->second.exact.view();
  std::vector<SentAt> origins;
  for (int64_t i = 0; i < gathered.count(); ++i) {
    const auto mark = static_cast<int64_t>(gathered.value(i));
    const auto next = std::upper_bound(first.begin(), first.end(), mark);
    const int64_t sender = next - first.begin() - 1;
    origins.push_back(sender < 0 || next == first.end() ? SentAt{}
                                                        : SentAt{sender, mark - first[static_cast<size_t>(sender)]});
  }
  return origins;
}

}  // namespace parity::compare

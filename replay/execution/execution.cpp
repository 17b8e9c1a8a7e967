// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/execution.hpp"

#include <algorithm>
#include <cstring>

#include "replay/execution/lifetimes.hpp"

namespace parity::replay {
namespace {

/// Isolated results can be recomputed, so at most this much of them is stored.
constexpr int64_t kMostResults = int64_t{64} << 20;  // bytes

}  // namespace

Execution::Execution(std::shared_ptr<const Computation> computation, const TapSource& source, Mode mode, Wanted wanted,
                     RankEngine engine)
    : TapSource(computation->plan),
      computation_(std::move(computation)),
      source_(source),
      mode_(mode),
      wanted_(std::move(wanted)),
      engine_(std::move(engine)),
      runner_(*computation_, source, [this](const std::string& tap) { return has(tap); }),
      ranks_(has_ranks(computation_->plan)) {
  if (mode_ != Mode::isolated) {
    uses_ = last_uses(plan(), all_nodes(plan()));
    return;
  }
  spans_ = build_spans(plan(), Sources(source_, *this));
  for (size_t span = 0; span < spans_.size(); ++span) {
    for (const std::string& tap : spans_[span].judged) span_of_[tap] = span;
  }
}

const Node& Execution::producer(const std::string& tap) const {
  return plan().nodes[static_cast<size_t>(plan().tap(tap).producer)];
}

bool Execution::has(const std::string& tap) const {
  const auto info = plan().taps.find(tap);
  if (info == plan().taps.end() || info->second.producer < 0 || !wanted_(tap)) return false;
  return mode_ != Mode::isolated || computation_->computes(producer(tap));
}

bool Execution::own(const std::string& tap) const {
  const auto info = plan().taps.find(tap);
  if (info == plan().taps.end() || info->second.producer < 0) return false;
  return computation_->computes(producer(tap)) && !refused().contains(Computation::key_of(producer(tap)));
}

std::string Execution::reason(const std::string& tap) const {
  const Node& node = producer(tap);
  const auto found = refused().find(Computation::key_of(node));
  if (found != refused().end()) return fmt::format("{}: {}", computation_->name, found->second);
  if (computation_->computes(node)) return "the tap was not requested";
  return fmt::format("{} has no kernel of {}{}", computation_->name, node.component,
                     mode_ == Mode::isolated ? "" : "; the reference computed it");
}

Tensor Execution::held(const std::string& tap) const {
  if (mode_ == Mode::isolated) {
    if (!results_.contains(tap)) run_span(spans_[span_of_.at(tap)]);
  } else {
    while (!results_.contains(tap) && next_ < plan().nodes.size()) ranks_ ? run_ranks() : run_next();
  }
  const Tensor& result = results_.at(tap);
  const DType recorded = plan().dtype_of(plan().tap(tap).type);
  return result.dtype() == recorded ? result : convert(result.view(), recorded);
}

void Execution::keep(const std::string& tap, const Tensor& value) const {
  if (!results_.emplace(tap, value).second) return;
  order_.push_back(tap);
  bytes_ += value.bytes();
}

void Execution::keep(const Values& values) const {
  for (const auto& [tap, value] : values) {
    if (has(tap) && !results_.contains(tap)) keep(tap, runner_.on_host(value));
  }
  while (mode_ == Mode::isolated && bytes_ > kMostResults && order_.size() > values.size()) {
    bytes_ -= results_.at(order_.front()).bytes();
    results_.erase(order_.front());
    order_.pop_front();
  }
}

void Execution::run_span(const Span& span) const {
  const auto uses = last_uses(plan(), span.nodes);
  Values taps;
  for (const std::string& tap : span.inputs) taps[tap] = held_value(plan(), tap, source_.read(tap));
  for (const int index : span.nodes) {
    const Node& node = plan().nodes[static_cast<size_t>(index)];
    Values values = index == span.nodes.back() ? Values() : kept(node);
    if (values.empty()) values = runner_.run(node, taps);
    if (index == span.nodes.back()) keep(values);
    values.merge(taps);  // keeps its own of common taps: experts' weights belong to its own choice and their order
    taps = std::move(values);
    release(taps, uses, index);
  }
}

Values Execution::kept(const Node& node) const {
  Values values;
  for (const auto& [field, output] : node.outputs) {
    const auto found = results_.find(output.name);
    if (found == results_.end()) return {};
    values[output.name] = found->second;
  }
  return values;
}

void Execution::run_next() const {
  const Node& node = plan().nodes[next_];
  runner_.read_inputs(node, taps_);
  Values values = runner_.run(node, taps_);
  Values continued;
  if (mode_ == Mode::forced) continued = runner_.follow(node, taps_, values);
  keep(values);
  continued.merge(values);
  taps_.merge(continued);
  release(taps_, uses_, static_cast<int>(next_));
  ++next_;
}

void Execution::run_ranks() const {
  const auto wanted = [this](const std::string& tap) { return has(tap); };
  const RankedWalk walk{*computation_, source_, wanted, mode_ == Mode::forced};
  RankResults results = engine_ ? engine_(walk) : walk_ranks(walk, kPatience);
  for (const auto& [tap, value] : results.taps) {
    if (has(tap)) keep(tap, value);
  }
  moved_by_ranks_ += results.moved;
  refused_by_ranks_ = std::move(results.refused);
  links_ = std::move(results.links);
  next_ = plan().nodes.size();
}

Moved Execution::moved() const {
  Moved all = runner_.moved();
  return all += moved_by_ranks_;
}

const std::map<std::string, std::string>& Execution::refused() const {
  return ranks_ && mode_ != Mode::isolated ? refused_by_ranks_ : runner_.refused();
}

}  // namespace parity::replay

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judge.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "compare/elements.hpp"
#include "compare/finding_values.hpp"
#include "compare/integers.hpp"
#include "compare/slot_alignment.hpp"
#include "core/text.hpp"

namespace parity::compare {
namespace {

/// Each element has roundings of its own: none of them reaches the others of its row.
bool elementwise(const std::string& component) {
  static const std::set<std::string> names{"gelu",         "moe_combine", "partial_rope", "residual_add",
                                           "sigmoid_gate", "silu",        "swiglu",       "vision_rope"};
  return names.contains(component);
}

}  // namespace

JudgeVisitor::JudgeVisitor(const replay::Evaluator& evaluator, JudgeOptions options)
    : evaluator_(evaluator), options_(std::move(options)), taint_(evaluator.plan(), evaluator.registry()) {}

bool JudgeVisitor::selected(const std::string& tap) const { return glob_match(options_.select, tap); }

std::string JudgeVisitor::repro_of(const std::string& tap) const {
  if (options_.repro_prefix.empty()) return {};
  const std::string mode =
      options_.mode == Mode::isolated ? std::string() : fmt::format(" --mode {}", to_string(options_.mode));
  return options_.repro_prefix + tap + "'" + options_.repro_options + mode;
}

Tensor JudgeVisitor::candidate_of(const replay::Finding& finding) const {
  if (!options_.reference_values) return finding.recorded;
  return convert(finding.outcome->outputs.at(finding.field).rounded.view(), finding.recorded.dtype());
}

Record JudgeVisitor::begin(const replay::Finding& finding, const Tensor& candidate) const {
  const Node& node = *finding.outcome->node;
  Record record;
  record.tap = finding.tap;
  record.component = node.component;
  if (finding.span != nullptr) {
    for (const int index : *finding.span)
      record.span.push_back(evaluator_.plan().nodes[static_cast<size_t>(index)].prefix);
  }
  record.backend = options_.backend;
  record.mode = options_.mode;
  record.dtype = candidate.dtype();
  record.axes = candidate.view().axes;
  record.shape = candidate.shape();
  record.layer = node.layer;
  record.repro = repro_of(finding.tap);
  return record;
}

void JudgeVisitor::finish(Record record, const replay::Finding& finding) {
  if (!selected(finding.tap)) return;
  const Node* first = evaluator_.plan().nodes.data();
  const std::pair key{static_cast<int>(finding.outcome->node - first),
                      finding.outcome->definition->output_index(finding.field)};
  records_.emplace_back(key, std::move(record));
}

bool JudgeVisitor::decide(const replay::Finding& finding) {
  const Tensor candidate = candidate_of(finding);
  Record record = begin(finding, candidate);
  const AxisSizes sizes = evaluator_.plan().sizes_of(*finding.outcome->node);
  if (options_.observe) options_.observe(finding, nullptr);
  judge_choices(*finding.outcome, finding.field, sizes, finding.inherited, widen(candidate), record);
  if (options_.own_decisions && record.status == Status::fail) accept_own_choices(record);
  if (options_.exact) require_own_choices(record);
  const bool holds = record.status == Status::pass;
  finish(std::move(record), finding);
  return options_.mode != Mode::chained || holds;
}

void JudgeVisitor::undecided(const replay::Outcome& outcome, const std::string& field) {
  taint_.add(outcome, field);
  undecided_.insert(outcome.node->outputs.at(field).name);
}

bool JudgeVisitor::free_slot_order(const replay::Finding& finding) const {
  if (!has_slots(finding.recorded.view())) return false;
  const Node& node = *finding.outcome->node;
  const auto open = [&](const Operand& operand) { return undecided_.contains(operand.name); };
  const auto indices = node.inputs.find("indices");
  if (indices != node.inputs.end()) return open(indices->second.front());
  const auto own = node.outputs.find("indices");
  return own != node.outputs.end() && open(own->second);
}

void JudgeVisitor::judge(const replay::Finding& finding) {
  const bool chained = finding.inherited && finding.span == nullptr;
  if (!selected(finding.tap) && !chained) return;
  const replay::TapValue& value = finding.outcome->outputs.at(finding.field);
  const Tensor candidate = candidate_of(finding);
  if (is_integer(evaluator_.plan().tap(finding.tap).type)) {
    if (options_.observe) options_.observe(finding, nullptr);
    Record record = begin(finding, candidate);
    const Node& node = *finding.outcome->node;
    OpenIntegers open{taint_.elements(node, evaluator_.plan().tap(finding.tap), finding.span), 0};
    if (!open.elements.empty()) open.tokens = taint_.reach(node, finding.span);
    judge_integers(value.rounded, widen(candidate), open, record);
    finish(std::move(record), finding);
    return;
  }
  Tensor got = widen(candidate);
  if (free_slot_order(finding)) got = align_slots(got, value.rounded);
  Record record = begin(finding, candidate);
  Values values = values_of(finding, got, candidate.dtype(), evaluator_.plan().working, chain_drift_);
  if (chained) chain_drift_ = std::max(chain_drift_, Tolerance(values).relative_drift());
  if (!selected(finding.tap)) return;  // its drift counts for those behind it
  ElementRules rules;
  rules.systematic = options_.systematic;
  rules.tainted = taint_.elements(*finding.outcome->node, evaluator_.plan().tap(finding.tap), finding.span);
  const auto& free = options_.free_rounding;
  const bool narrow = evaluator_.plan().working == DType::bf16 || evaluator_.plan().working == DType::f16;
  rules.claims_rounding =
      narrow && !finding.inherited && std::find(free.begin(), free.end(), record.component) == free.end();
  rules.shares_rounding = !elementwise(record.component);
  if (narrow && !finding.inherited) values.telling_row = rules.claims_rounding ? kTellingRowSame : kTellingRow;
  values.rounds_freely = narrow && !rules.claims_rounding;
  if (options_.observe) options_.observe(finding, &values);  // with the tolerance that is judged by
  rules.check_vacuity = !finding.inherited;
  // Roundings of its own in every place give a candidate 1.4 times the oracle's noise; the oracle's own, none of it.
  constexpr double kOwn = 2.0, kOracles = 1.0;
  if (narrow && finding.inherited && finding.span != nullptr) rules.most_noise = free.empty() ? kOracles : kOwn;
  rules.logits = candidate.view().axes == "B,S,V";
  rules.sizes = evaluator_.plan().sizes_of(*finding.outcome->node);
  const Definition& definition = *finding.outcome->definition;
  const auto output = static_cast<size_t>(definition.output_index(finding.field));
  const bool prescribed = definition.outputs[output].judge == Judge::bits;
  rules.bit_by_bit = prescribed || options_.exact;
  rules.zero_signs = prescribed || definition.points.empty();  // a sum may begin with 0 or with its first term
  judge_elements(values, rules, record);
  if (options_.exact && record.status == Status::fail)
    record.reason = "every correct kernel has the reference's bits on these operands";
  finish(std::move(record), finding);
}

void JudgeVisitor::progress(size_t done, size_t total, const std::string& where) {
  if (options_.mode == Mode::isolated) taint_.clear();  // each span stands alone
  if (options_.progress) options_.progress(done, total, where);
}

void JudgeVisitor::add_verdict(const std::string& tap, Status status, const std::string& reason) {
  Record record;
  record.tap = tap;
  record.mode = options_.mode;
  record.backend = options_.backend;
  record.status = status;
  record.reason = reason;
  record.budget_used = std::numeric_limits<double>::infinity();
  std::pair key{-1, 0};
  const auto known = evaluator_.plan().taps.find(tap);
  if (known != evaluator_.plan().taps.end()) {
    record.axes = known->second.axes;
    record.shape = known->second.shape;
    record.dtype = evaluator_.plan().dtype_of(known->second.type);
  }
  if (known != evaluator_.plan().taps.end() && known->second.producer >= 0) {
    const Node& node = evaluator_.plan().nodes[static_cast<size_t>(known->second.producer)];
    const Definition& definition = evaluator_.registry().component(node.component);
    for (const auto& [field, output] : node.outputs) {
      if (output.name == tap) key = {known->second.producer, definition.output_index(field)};
    }
    record.component = node.component;
    record.layer = node.layer;
  }
  record.repro = repro_of(tap);
  records_.emplace_back(key, std::move(record));
}

void JudgeVisitor::mismatched(const std::string& tap, const replay::Mismatch& mismatch) {
  if (selected(tap)) add_verdict(tap, mismatch.type ? Status::error : Status::fail, mismatch.reason);
}

void JudgeVisitor::failed(const std::vector<std::string>& taps, const Error& error) {
  for (const std::string& tap : taps) {
    // A chain that breaks leaves everything behind it unjudged: no selection hides that.
    if (options_.mode != Mode::isolated || selected(tap)) add_verdict(tap, Status::error, error.what());
  }
}

void JudgeVisitor::working_set(int64_t bytes, const std::string& where) {
  if (bytes <= largest_bytes_) return;
  largest_bytes_ = bytes;
  largest_span_ = where;
}

std::vector<Record> JudgeVisitor::take_records() {
  std::stable_sort(records_.begin(), records_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Record> result;
  for (auto& [key, record] : records_) result.push_back(std::move(record));
  records_.clear();
  return result;
}

}  // namespace parity::compare

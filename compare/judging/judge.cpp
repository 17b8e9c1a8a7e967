// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/judge.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>

#include "compare/captures/slot_alignment.hpp"
#include "compare/captures/storage.hpp"
#include "compare/judging/elements.hpp"
#include "compare/judging/finding_values.hpp"
#include "compare/judging/integers.hpp"
#include "compare/judging/marked.hpp"
#include "compare/judging/readings.hpp"
#include "compare/values/region.hpp"
#include "core/sharding/rank_names.hpp"
#include "core/text.hpp"

namespace parity::compare {
namespace {

bool is_narrow(DType type) { return type == DType::bf16 || type == DType::f16; }

/// Notes other bits in more than one element of a hundred: another way to round, even if each could be a near-tie. With
/// the oracle's roundings, near-ties change one element in some thousands (docs/judging.md, section 3).
void note_other_bits(Record& record) {
  constexpr int64_t kFewest = 8;
  const int64_t unequal = record.bit_equal.total - record.bit_equal.equal;
  if (record.status != Status::pass || record.deviation || unequal < kFewest) return;
  if (unequal * kUnexplainedOneIn <= record.bit_equal.total) return;
  record.deviation = Deviation{"rounding", "other rounding points, near-ties only", record.noise.error};
}

/// Whether a rank has nothing to add: none of its experts was chosen. The sum of the terms shows what it must.
bool is_idle(const Plan& plan, const replay::Finding& finding) {
  if (!is_own_to_rank(plan, finding.tap)) return false;
  const TensorView& exact = finding.outcome->outputs.at(finding.field).exact.view();
  for (int64_t i = 0, n = exact.count(); i < n; ++i) {
    if (exact.value(i) != 0.0) return false;
  }
  return true;
}

/// The values of a finding under a reading. `varied` and `rounding` own the arrays that they point to.
struct Read {
  std::unique_ptr<replay::Varied> varied;
  std::vector<double> rounding;
  std::unique_ptr<Storage> storage;
  Values values;
  bool applies = false;
};

Read read_as(const Reading& reading, const replay::Finding& finding, const Values& oracle, const Tensor& got,
             DType planned) {
  Read read{nullptr, {}, nullptr, oracle, true};
  if (reading.by == Reading::By::exact) {
    read.rounding.resize(static_cast<size_t>(oracle.count));
    for (int64_t i = 0; i < oracle.count; ++i)
      read.rounding[static_cast<size_t>(i)] = unit_roundoff(oracle.dtype) * std::abs(oracle.exact[i]);
    read.values.rounded = oracle.exact;
    read.values.rounding = read.rounding.data();
  } else if (reading.by == Reading::By::variation) {
    read.varied = finding.vary(reading.variation);
    read.applies = read.varied != nullptr;
    if (!read.applies) return read;
    replay::Finding other = finding;
    other.outcome = &read.varied->outcome;
    read.values = values_of(other, got, oracle.dtype, oracle.working, oracle.chain_drift);
    read.values.telling_row = oracle.telling_row;
    read.storage = std::make_unique<Storage>(read.values, planned);
  } else {
    read.values.telling_row = kTellingRow;
    read.values.rounds_freely = true;
  }
  return read;
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
  if (record.elements == 0 && record.uncomputed > 0) {  // no element is left to judge
    record.status = Status::skipped;
    record.reason = "none of its elements was computed";
  }
  if (!record.worst.index.empty() && record.status != Status::pass)
    record.worst.at = position_text(record.axes, record.shape, record.worst.index,
                                    evaluator_.plan().sizes_of(*finding.outcome->node));
  const auto now = std::chrono::steady_clock::now();
  record.seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
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
  const bool given = finding.outcome->node->inputs.contains("forced");  // nothing to choose: ids are copied
  if (given)
    judge_integers(finding.outcome->outputs.at(finding.field).rounded, widen(candidate), {}, record);
  else
    judge_choices(*finding.outcome, finding.field, sizes, finding.inherited, widen(candidate), record,
                  {options_.block_order, finding.uncomputed});
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

bool JudgeVisitor::undecided_ids(const std::string& tap) const {
  if (undecided_.contains(tap)) return true;
  const Plan& plan = evaluator_.plan();
  const TapInfo& info = plan.tap(tap);
  if (!is_integer(info.type) || info.producer < 0) return false;
  for (const auto& [field, operands] : plan.nodes[static_cast<size_t>(info.producer)].inputs) {
    for (const Operand& from : operands) {
      if (from.kind == Operand::Kind::tap && undecided_ids(from.name)) return true;
    }
  }
  return false;
}

bool JudgeVisitor::free_slot_order(const replay::Finding& finding) const {
  if (!has_slots(finding.recorded.view())) return false;
  const Node& node = *finding.outcome->node;
  const auto open = [&](const Operand& operand) { return undecided_ids(operand.name); };
  if (finding.inherited && open({Operand::Kind::tap, finding.tap, ""})) return true;
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
    OpenIntegers open{taint_.elements(node, evaluator_.plan().tap(finding.tap), finding.span)};
    open.ids = free_slot_order(finding);
    if (!open.elements.empty()) open.tokens = taint_.reach(node, finding.span);
    Tensor integers = widen(candidate);
    if (!finding.uncomputed.empty()) integers = with_reference(integers, value.rounded, finding.uncomputed);
    if (open.ids)
      judge_integers(sorted_slots(value.rounded), sorted_slots(integers), open, record);
    else
      judge_integers(value.rounded, integers, open, record);
    leave_out(finding.uncomputed, record);
    finish(std::move(record), finding);
    return;
  }
  Tensor got = widen(candidate);
  if (free_slot_order(finding)) got = align_slots(got, value.rounded);
  Record record = begin(finding, candidate);
  if (!finding.uncomputed.empty()) got = with_reference(got, value.rounded, finding.uncomputed);
  const bool narrow = is_narrow(evaluator_.plan().working);
  Values values = values_of(finding, got, candidate.dtype(), evaluator_.plan().working, chain_drift_);
  const DType planned = evaluator_.plan().dtype_of(evaluator_.plan().tap(finding.tap).type);
  const Storage storage(values, planned);
  if (chained) chain_drift_ = std::max(chain_drift_, Tolerance(values).relative_drift());
  if (!selected(finding.tap)) return;  // its drift still counts for later taps
  const ElementRules rules = rules_of(finding, candidate);
  if (narrow && !finding.inherited) values.telling_row = rules.claims_rounding ? kTellingRowSame : kTellingRow;
  values.rounds_freely = narrow && !rules.claims_rounding;
  if (options_.observe) options_.observe(finding, &values);  // with the tolerance that is used to judge
  judge_elements(values, rules, record);
  if (record.status == Status::fail && !rules.bit_by_bit && finding.vary)
    read_otherwise(finding, got, values, rules, record);
  const bool stored_rounded =
      candidate.dtype() == evaluator_.plan().working;  // in any other type the order of sums changes bits
  if (options_.policy == Policy::bounds && rules.claims_rounding && stored_rounded) note_other_bits(record);
  leave_out(finding.uncomputed, record);
  storage.describe(record);
  if (options_.marked && record.status == Status::fail) {
    const NotNumbers nan = not_numbers_of(values, candidate.view());
    if (nan.never_written + nan.computed > 0) record.nan = nan;
  }
  if (options_.exact && record.status == Status::fail)
    record.reason = "on these operands every correct kernel has the reference's bits";
  if (record.status == Status::fail && options_.pictures > 0) {
    --options_.pictures;
    record.picture = picture_of(values, record.axes, record.shape);
  }
  finish(std::move(record), finding);
}

bool JudgeVisitor::claims_rounding(const replay::Finding& finding) const {
  if (!is_narrow(evaluator_.plan().working) || finding.inherited) return false;
  if (options_.policy == Policy::bounds) return true;  // tried first; a failure is read otherwise
  // A candidate that states its own roundings claims no bits, but Policy::bits still requires them.
  const auto& free = options_.free_rounding;
  return std::find(free.begin(), free.end(), finding.outcome->node->component) == free.end();
}

ElementRules JudgeVisitor::rules_of(const replay::Finding& finding, const Tensor& candidate) const {
  const Node& node = *finding.outcome->node;
  ElementRules rules;
  rules.systematic = options_.systematic;
  rules.tainted = taint_.elements(node, evaluator_.plan().tap(finding.tap), finding.span);
  const DType planned = evaluator_.plan().dtype_of(evaluator_.plan().tap(finding.tap).type);
  rules.claims_rounding = claims_rounding(finding) && candidate.dtype() == planned;  // else it did not round to T
  rules.shares_rounding = !finding.outcome->definition->traits.elementwise;
  rules.check_power = !finding.inherited && !is_idle(evaluator_.plan(), finding);
  // Roundings of its own give a candidate at most 1.4 times the oracle's noise; the oracle's roundings give none.
  constexpr double kOwn = 2.0, kOracles = 1.0;
  const bool own = options_.policy == Policy::bounds || !options_.free_rounding.empty() || options_.stated.any_own();
  if (is_narrow(evaluator_.plan().working) && finding.inherited && finding.span != nullptr)
    rules.most_noise = own ? kOwn : kOracles;
  rules.logits = candidate.view().axes == "B,S,V";
  rules.sizes = evaluator_.plan().sizes_of(node);
  rules.sharing = sharing_of(*finding.outcome->definition, candidate.view().axes, rules.sizes);
  const Definition& definition = *finding.outcome->definition;
  const auto output = static_cast<size_t>(definition.output_index(finding.field));
  const bool prescribed = definition.outputs[output].judge == Judge::bits;
  rules.bit_by_bit = prescribed || options_.exact;
  rules.zero_signs = prescribed || definition.points.empty();  // a sum may begin with 0 or with its first term
  return rules;
}

void JudgeVisitor::read_otherwise(const replay::Finding& finding, const Tensor& got, const Values& values,
                                  const ElementRules& rules, Record& record) const {
  const Node& node = *finding.outcome->node;
  const bool narrow = is_narrow(evaluator_.plan().working);
  RoundingTable table = node.rounding;
  table.insert(evaluator_.plan().rounding.begin(), evaluator_.plan().rounding.end());
  Values oracle = values;
  oracle.rounds_freely = false;
  if (narrow && !finding.inherited) oracle.telling_row = kTellingRowSame;
  const DType planned = evaluator_.plan().dtype_of(evaluator_.plan().tap(finding.tap).type);
  const bool alone = narrow && !finding.inherited;
  ReadingsOf what{node, *finding.outcome->definition, std::move(table), alone, alone};
  what.rounds_weights = alone && replay::rounds_weights(evaluator_, node, kDeepestFusion);
  what.oracles_roundings = !options_.stated.rounds_its_own_way(node.component).value_or(true);
  what.function_ulps = options_.stated.function_ulps(node.component).value_or(kCoarseLibraryUlps);
  for (const Reading& reading : readings_of(what)) {
    const Read read = read_as(reading, finding, oracle, got, planned);
    if (!read.applies) continue;
    ElementRules own = rules;
    const bool bounds = reading.by == Reading::By::bounds;
    own.claims_rounding = alone && !bounds;
    own.no_farther = bounds;
    Record other = begin(finding, finding.recorded);
    judge_elements(read.values, own, other);
    if (other.status == Status::fail) continue;
    const Deviation deviation{reading.kind, reading.text, record.noise.error};
    if (options_.policy == Policy::bounds) {
      other.bit_equal = record.bit_equal;  // counts against the oracle's bits, whatever the reading
      other.noise = record.noise;
      record = std::move(other);
    }
    record.deviation = deviation;
    return;
  }
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

void JudgeVisitor::skipped(const std::string& tap, const std::string& reason) {
  if (!selected(tap)) return;
  add_verdict(tap, Status::skipped, reason);
  records_.back().second.budget_used = 0.0;
}

void JudgeVisitor::failed(const std::vector<std::string>& taps, const Error& error) {
  for (const std::string& tap : taps) {
    // A broken chain ends the judgement, so the error is reported even if `select` excludes the tap.
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

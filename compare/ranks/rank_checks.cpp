// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/ranks/rank_checks.hpp"

#include <algorithm>
#include <limits>

#include "compare/judging/verdict.hpp"
#include "core/sharding/rank_names.hpp"

namespace parity::compare {
namespace {

constexpr int kMostOthers = 24;  // exchanges that are looked at to tell senders apart

/// The records of all ranks for the tap of `first`, in its mode.
std::vector<const Record*> of_all_ranks(const Record& first, const std::vector<Record>& records) {
  std::vector<const Record*> found;
  const std::string tap = without_rank(first.tap);
  for (const Record& record : records) {
    const bool same = record.mode == first.mode && rank_of_tap(record.tap) >= 0 && without_rank(record.tap) == tap;
    if (same && record.status != Status::skipped) found.push_back(&record);
  }
  return found;
}

const Node* producer_of(const Plan& plan, const std::string& tap) {
  const auto known = plan.taps.find(tap);
  if (known == plan.taps.end() || known->second.producer < 0) return nullptr;
  return &plan.nodes[static_cast<size_t>(known->second.producer)];
}

/// The rank whose copy is nearer to the reference: that of the right record, or of the one with more equal bits.
const Record* nearer(const std::vector<Record*>& copies) {
  const Record* best = nullptr;
  bool tie = false;
  const auto before = [](const Record& a, const Record& b) {
    if (is_wrong(a) != is_wrong(b)) return !is_wrong(a);
    return a.bit_equal.share() > b.bit_equal.share();
  };
  for (const Record* copy : copies) {
    if (best == nullptr || before(*copy, *best)) {
      best = copy;
      tie = false;
    } else if (!before(*best, *copy)) {
      tie = true;
    }
  }
  return tie ? nullptr : best;
}

void fail(Record& record, const std::string& reason) {
  record.reason += (record.reason.empty() ? "" : "; ") + reason;
  if (is_wrong(record)) return;
  record.status = Status::fail;
  record.deviation.reset();
  record.budget_used = std::numeric_limits<double>::infinity();
}

}  // namespace

bool RankChecks::is_received(const std::string& tap) const {
  const Node* node = producer_of(evaluator_.plan(), tap);
  return node != nullptr && is_exchange(*node);
}

Observer RankChecks::observing(Observer also) {
  digests_.clear();
  return [this, also = std::move(also)](const replay::Finding& finding, const Values* values) {
    if (rank_of_tap(finding.tap) >= 0) digests_[finding.tap] = digest_of(finding.recorded.view());
    if (also) also(finding, values);
  };
}

void RankChecks::check_exchanges(const replay::TapSource& run, JudgeOptions options,
                                 std::vector<Record>& records) const {
  options.mode = Mode::isolated;
  options.observe = nullptr;
  options.progress = nullptr;
  JudgeVisitor visitor(evaluator_, options);
  replay::walk_isolated(evaluator_, {run, run}, exchange_spans(evaluator_.plan(), run), visitor);
  for (Record& own : visitor.take_records()) {
    if (!is_wrong(own)) continue;
    for (Record& record : records) {
      if (record.tap != own.tap || record.status == Status::skipped) continue;
      own.mode = record.mode;
      own.repro = record.repro;
      own.reason +=
          (own.reason.empty() ? "" : "; ") + std::string("the values that the ranks sent give another result");
      record = own;
    }
  }
}

void RankChecks::check_replicas(std::vector<Record>& records) {
  std::map<std::string, Record*> by_tap;
  for (Record& record : records) by_tap[record.tap] = &record;
  for (Disagreement one : disagreements(evaluator_.plan(), layout_, digests_)) {
    std::vector<Record*> copies;
    for (const int64_t rank : one.odd) {
      const auto found = by_tap.find(rank_prefix(rank) + one.tap);
      if (found != by_tap.end()) copies.push_back(found->second);
    }
    const Record* right = one.agreeing.empty() ? nearer(copies) : nullptr;
    if (right != nullptr) {
      one.agreeing = {rank_of_tap(right->tap)};
      std::erase(one.odd, one.agreeing.front());
    }
    const std::string others = one.agreeing.empty()      ? "must have the same bits on every rank, but all ranks differ"
                               : one.agreeing.size() > 1 ? "differs from " + ranks_text(one.agreeing) + ", which agree"
                                                         : "differs from " + ranks_text(one.agreeing);
    for (Record* copy : copies) {
      if (copy == right || copy->status == Status::skipped) continue;
      fail(*copy, others);
      disagreements_[{copy->mode, copy->tap}] = one;
    }
  }
}

void RankChecks::find_link(const replay::TapSource& values, const std::vector<Record>& records) {
  const auto first = std::find_if(records.begin(), records.end(), is_wrong);
  if (first == records.end()) return;
  for (const Record* record : of_all_ranks(*first, records)) {
    const Node* node = is_wrong(*record) ? producer_of(evaluator_.plan(), record->tap) : nullptr;
    if (node == nullptr || !is_exchange(*node)) continue;
    const auto exchange = exchange_of(*node, values);
    if (!exchange) continue;
    LinkFinding& link = links_[{record->mode, record->tap}] = search_link(*exchange, evaluator_, values);
    if (!link.suspects.empty()) settle(link, *exchange, values);
  }
}

void RankChecks::settle(LinkFinding& link, const Exchange& first, const replay::TapSource& values) const {
  int left = kMostOthers;
  for (const Node& node : evaluator_.plan().nodes) {
    if (link.suspects.empty() || left == 0) return;
    if (&node == first.node || node.rank != first.node->rank || !is_exchange(node)) continue;
    const auto other = exchange_of(node, values);
    if (!other || other->senders != first.senders) continue;
    --left;
    link.settle(search_link(*other, evaluator_, values));
  }
}

void RankChecks::check(const replay::TapSource& values, std::vector<Record>& records) {
  check_replicas(records);
  find_link(values, records);
}

}  // namespace parity::compare

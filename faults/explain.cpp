// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explain.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "compare/golden_plan.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/edit.hpp"

namespace parity::faults {
namespace {

using compare::Mode;
using compare::Record;
using compare::Status;

/// Judged as equal or not: there is no distance.
bool is_integer(const Record& record) { return !is_float(record.dtype); }

/// A faulty clamp may never be reached: what is mistrusted is within its tolerance all the same.
bool accepted(const Record& record) {
  return record.status == Status::pass || (record.status == Status::mistrusted && record.failed == 0);
}

bool fails(const Record& record) { return record.mode == Mode::isolated && record.status == Status::fail; }

/// What the taps of a run say of a hypothesis.
class Inquiry {
 public:
  Inquiry(const golden::Golden& golden, const compare::RunOptions& options, const compare::GoldenReport& report)
      : golden_(golden), options_(options), plan_(compare::plan_of(golden, options.profile)) {
    options_.mode = Mode::isolated;
    options_.progress = nullptr;
    for (const Record& record : report.records) {
      if (record.mode != Mode::isolated) continue;
      if (fails(record)) failing_.insert(record.tap);
      if (record.status == Status::pass) passing_.insert(record.tap);
      if (report.first_divergence && record.tap == report.first_divergence->tap) first_ = record;
    }
  }

  [[nodiscard]] bool possible() const { return fails(first_); }

  /// Nodes between the recorded taps in front of `record` and itself.
  [[nodiscard]] std::set<std::string> nodes_of(const Record& record) const {
    std::set<std::string> prefixes(record.span.begin(), record.span.end());
    const auto tap = plan_.taps.find(record.tap);
    if (tap != plan_.taps.end() && tap->second.producer >= 0)
      prefixes.insert(plan_.nodes[static_cast<size_t>(tap->second.producer)].prefix);
    return prefixes;
  }

  [[nodiscard]] bool concerned(const Fault& fault) const {
    const auto prefixes = nodes_of(first_);
    return std::any_of(plan_.nodes.begin(), plan_.nodes.end(), [&](const Node& node) {
      return prefixes.contains(node.prefix) && concerns(fault, plan_, node);
    });
  }

  /// The fault at the nodes that have a failing tap only.
  [[nodiscard]] Fault at_failing_nodes(Fault fault) const {
    std::set<std::string> places;
    for (const Node& node : plan_.nodes) {
      if (!concerns(fault, plan_, node)) continue;
      for (const auto& [field, output] : node.outputs) {
        if (failing_.contains(output.name)) places.insert(node.prefix);
      }
    }
    fault.at.assign(places.begin(), places.end());
    return fault;
  }

  /// Whether the hypothesis accepts the first divergence; cheap: one span.
  [[nodiscard]] bool accepts_first(const Fault& fault, Explanation& result) const {
    for (const Record& record : judged(fault, first_.tap)) {
      if (record.tap != first_.tap || !accepted(record) || !closer(record)) continue;
      result.residual = record.budget_used;
      result.bit_equal = record.bit_equal.share();
      return true;
    }
    return false;
  }

  /// A wider tolerance accepts more and explains nothing: the candidate has to be nearer to the faulty reference than to the
  /// right one, by half of its distance or by four in five of the bits, or decisions, that were not equal.
  [[nodiscard]] bool closer(const Record& record) const {
    if (first_.discrete && record.discrete) return 5 * record.discrete->unequal <= first_.discrete->unequal;
    if (is_integer(first_)) return true;
    const auto unequal = [](const Record& r) { return static_cast<double>(r.bit_equal.total - r.bit_equal.equal); };
    return 2.0 * record.relative_error <= first_.relative_error || 5.0 * unequal(record) <= unequal(first_);
  }

  /// Counts what it explains; false when it breaks a tap that passed.
  [[nodiscard]] bool holds_elsewhere(const Fault& fault, Explanation& result) const {
    result.failing = static_cast<int64_t>(failing_.size());
    result.explained = 0;
    for (const Record& record : judged(fault, "*")) {
      if (failing_.contains(record.tap) && accepted(record)) ++result.explained;
      if (passing_.contains(record.tap) && record.status == Status::fail) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::vector<Record> judged(const Fault& fault, const std::string& select) const {
    compare::RunOptions options = options_;
    options.hypothesis = hypothesis_of(fault);
    options.select = select;
    try {
      return compare::run_golden(golden_, options).records;
    } catch (const std::exception&) {  // an edit that this plan does not allow explains nothing
      return {};
    }
  }

  const golden::Golden& golden_;
  compare::RunOptions options_;
  Plan plan_;
  std::set<std::string> failing_, passing_;
  Record first_;
};

std::optional<Explanation> tried(const Inquiry& inquiry, const Fault& fault) {
  Explanation result;
  result.fault = &fault;
  if (!inquiry.accepts_first(fault, result)) return std::nullopt;
  if (inquiry.holds_elsewhere(fault, result)) return result;
  result.everywhere = false;
  const Fault narrow = inquiry.at_failing_nodes(fault);
  if (narrow.at.empty() || !inquiry.accepts_first(narrow, result) || !inquiry.holds_elsewhere(narrow, result))
    return std::nullopt;
  return result;
}

}  // namespace

std::string text_of(const Explanation& explanation) {
  return fmt::format("equals the reference in which {} ({}){}: {} of {} failing taps, {:.0f}% of the budget used",
                     explanation.fault->title, explanation.fault->id,
                     explanation.everywhere ? "" : " at the failing nodes", explanation.explained, explanation.failing,
                     100.0 * explanation.residual);
}

compare::Hypothesis hypothesis_of(const Fault& fault) {
  return [fault](Plan& plan, const WeightSource& weights) -> compare::Rewritten {
    auto edited = applied(fault, plan);
    if (!edited) return {};
    plan = std::move(edited->plan);
    return {edited->registry, std::make_unique<EditedWeights>(weights, edited->weights)};
  };
}

std::vector<Explanation> explain(const golden::Golden& golden, const compare::RunOptions& options,
                                 const compare::GoldenReport& report) {
  const Inquiry inquiry(golden, options, report);
  std::vector<Explanation> found;
  if (!report.first_divergence || !inquiry.possible()) return found;
  for (const Fault& fault : catalogue()) {
    if (!fault.equivalent.empty() || !inquiry.concerned(fault)) continue;
    if (const auto explanation = tried(inquiry, fault)) found.push_back(*explanation);
  }
  std::stable_sort(found.begin(), found.end(), [](const Explanation& a, const Explanation& b) {
    return std::tuple(-a.explained, !a.everywhere, -a.bit_equal, a.residual) <
           std::tuple(-b.explained, !b.everywhere, -b.bit_equal, b.residual);
  });
  return found;
}

}  // namespace parity::faults

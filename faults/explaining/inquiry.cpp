// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/inquiry.hpp"

#include <algorithm>
#include <tuple>

#include "core/text.hpp"

namespace parity::faults {
namespace {

using compare::Mode;
using compare::Record;
using compare::Status;

/// Whether the record passes, or is mistrusted without a failing element: data may never reach a faulty clamp.
bool accepted(const Record& record) {
  return record.status == Status::pass || (record.status == Status::mistrusted && record.failed == 0);
}

compare::RunOptions quiet(compare::RunOptions options) {
  options.mode = Mode::isolated;
  options.progress = nullptr;
  options.observe = nullptr;
  options.hypothesis = nullptr;
  return options;
}

/// Returns the prefix with its numbers replaced by "*": "steps/*/text/layers/*/x".
std::string folded_numbers(const std::string& prefix) {
  std::string result;
  for (size_t i = 0; i < prefix.size();) {
    const size_t end = std::min(prefix.find('/', i), prefix.size());
    const std::string part = prefix.substr(i, end - i);
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    result += (number ? "*" : part) + (end < prefix.size() ? "/" : "");
    i = end + 1;
  }
  return result;
}

}  // namespace

bool better(const Verified& a, const Verified& b) {
  const auto key = [](const Explanation& e) {
    size_t edits = 0;
    for (const Fault& fault : e.faults) edits += fault.edits.size();
    return std::tuple(-e.explained, !e.everywhere, -e.bit_equal, edits, e.residual);
  };
  return key(a.explanation) < key(b.explanation);
}

Inquiry::Inquiry(const golden::Golden& golden, const compare::RunOptions& options, const compare::GoldenReport& report)
    : options_(quiet(options)), opened_(golden, options_) {
  for (const Record& record : report.records) {
    if (record.mode != Mode::isolated) continue;
    order_.push_back(record.tap);
    records_.emplace(record.tap, record);
  }
  count_failing();
  failing_at_first_ = static_cast<int64_t>(failing_.size());
  reading_ = std::make_shared<const Reading>(opened_, std::make_shared<const Base>(opened_, std::string()));
}

void Inquiry::count_failing() {
  failing_.clear();
  passing_.clear();
  for (const auto& [tap, record] : records_) {
    if (record.status == Status::fail) failing_.insert(tap);
    if (record.status == Status::pass) passing_.insert(tap);
  }
}

const Record* Inquiry::record(const std::string& tap) const {
  const auto found = records_.find(tap);
  return found == records_.end() ? nullptr : &found->second;
}

const Record* Inquiry::next(const std::set<std::string>& given_up) const {
  for (const std::string& tap : order_) {
    if (failing_.contains(tap) && !given_up.contains(tap)) return record(tap);
  }
  return nullptr;
}

bool Inquiry::concerned(const Fault& fault, const Record& first) const {
  const Plan& plan = reading_->base()->plan;
  const replay::Span* span = reading_->span_of(first.tap);
  return span != nullptr && std::any_of(span->nodes.begin(), span->nodes.end(), [&](int index) {
           return concerns(fault, plan, plan.nodes[static_cast<size_t>(index)]);
         });
}

/// Whether the candidate is nearer to the faulty reference than to the right one: by half of its distance, or in four
/// of five unequal bits or decisions. A wider tolerance may accept more, but explains nothing.
bool Inquiry::closer(const Record& with, const Record& without) const {
  if (without.discrete && with.discrete) return 5 * with.discrete->unequal <= without.discrete->unequal;
  if (!is_float(without.dtype)) return true;  // integers have no distance
  const auto unequal = [](const Record& r) { return static_cast<double>(r.bit_equal.total - r.bit_equal.equal); };
  return 2.0 * with.relative_error <= without.relative_error || 5.0 * unequal(with) <= unequal(without);
}

Inquiry::Attempt Inquiry::judged(std::shared_ptr<const Reading> reading, const std::vector<replay::Span>& spans,
                                 const Record& first) const {
  const replay::Span* own = reading->span_of(first.tap);
  if (own == nullptr) return {};
  Verified result;
  result.explanation.tap = first.tap;
  result.explanation.failing = static_cast<int64_t>(failing_.size());
  const auto take = [&](std::vector<Record> records) {
    for (Record& record : records) {
      if (failing_.contains(record.tap) && accepted(record)) ++result.explanation.explained;
      if (passing_.contains(record.tap) && record.status == Status::fail) return false;
      result.records.push_back(std::move(record));
    }
    return true;
  };
  const bool breaks = !take(reading->judge({*own}));
  const auto found = std::find_if(result.records.begin(), result.records.end(),
                                  [&](const Record& record) { return record.tap == first.tap; });
  if (found == result.records.end() || !accepted(*found) || !closer(*found, first)) return {};
  if (breaks) return {std::nullopt, true};
  result.explanation.residual = found->budget_used;
  result.explanation.bit_equal = found->bit_equal.share();
  std::vector<replay::Span> others;
  for (const replay::Span& span : spans) {
    if (span.judged != own->judged) others.push_back(span);
  }
  if (!take(reading->judge(others))) return {std::nullopt, true};
  result.reading = std::move(reading);
  return {std::move(result), true};
}

std::vector<Fault> Inquiry::at_failing_nodes(std::vector<Fault> faults, bool folded) const {
  const Plan& plan = reading_->base()->plan;
  for (Fault& fault : faults) {
    std::set<std::string> places;
    for (const Node& node : plan.nodes) {
      if (!concerns(fault, plan, node)) continue;
      for (const auto& [field, output] : node.outputs) {
        if (failing_.contains(output.name)) places.insert(folded ? folded_numbers(node.prefix) : node.prefix);
      }
    }
    fault.at.assign(places.begin(), places.end());
  }
  return faults;
}

Inquiry::Attempt Inquiry::tried(const std::vector<Fault>& besides, const Record& first) const {
  std::vector<Fault> faults = reading_->faults();
  faults.insert(faults.end(), besides.begin(), besides.end());
  try {
    auto reading = std::make_shared<const Reading>(opened_, reading_->base(), faults);
    std::vector<replay::Span> spans;
    for (const replay::Span& span : reading->spans()) {
      const bool touched = std::any_of(besides.begin(), besides.end(),
                                       [&](const Fault& fault) { return reading->touches(fault, span); });
      if (touched) spans.push_back(span);
    }
    Attempt attempt = judged(reading, spans, first);
    if (attempt.verified) attempt.verified->explanation.faults = besides;
    return attempt;
  } catch (const std::exception&) {  // an edit that a node does not allow; it may be allowed at the failing nodes only
    return {std::nullopt, true};
  }
}

std::optional<Verified> Inquiry::verified(const std::vector<Fault>& besides, const Record& first) const {
  Attempt everywhere = tried(besides, first);
  if (everywhere.verified || !everywhere.right) return std::move(everywhere.verified);
  for (const bool folded : {true, false}) {
    const auto narrow = at_failing_nodes(besides, folded);
    if (std::any_of(narrow.begin(), narrow.end(), [](const Fault& fault) { return fault.at.empty(); }))
      return std::nullopt;
    auto result = tried(narrow, first).verified;
    if (!result) continue;
    result->explanation.everywhere = false;
    return result;
  }
  return std::nullopt;
}

std::optional<Verified> Inquiry::verified_profile(const std::string& profile, const Record& first) const {
  if (reading_->base()->candidate.computation) return std::nullopt;  // any profile suits it, so none explains it
  try {
    auto base = std::make_shared<const Base>(opened_, profile);
    auto reading = std::make_shared<const Reading>(opened_, base, reading_->faults());
    auto result = judged(reading, reading->spans(), first).verified;
    if (result) result->explanation.profile = profile;
    return result;
  } catch (const Error&) {  // a profile that does not fit this configuration or recording
    return std::nullopt;
  }
}

Fault Inquiry::where_it_holds(Fault fault, const std::set<std::string>& failed) const {
  const Plan& plan = reading_->base()->plan;
  std::set<std::string> holds, exact, fails;
  for (const replay::Span& span : reading_->spans()) {
    const auto any = [&](const std::set<std::string>& taps) {
      return std::any_of(span.judged.begin(), span.judged.end(),
                         [&](const std::string& tap) { return taps.contains(tap); });
    };
    for (const int index : span.nodes) {
      const Node& node = plan.nodes[static_cast<size_t>(index)];
      if (!concerns(fault, plan, node)) continue;
      if (any(failing_)) {
        fails.insert(node.prefix);
      } else if (any(failed)) {
        exact.insert(node.prefix);
        holds.insert(folded_numbers(node.prefix));
      }
    }
  }
  if (fails.empty() || exact.empty()) return fault;
  const bool folds = std::none_of(fails.begin(), fails.end(), [&](const std::string& prefix) {
    return std::any_of(holds.begin(), holds.end(), [&](const std::string& glob) { return glob_match(glob, prefix); });
  });
  const auto& places = folds ? holds : exact;
  fault.at.assign(places.begin(), places.end());
  return fault;
}

void Inquiry::assume(const Verified& verified) {
  reading_ = verified.reading;
  for (const Record& record : verified.records) {
    const auto known = records_.find(record.tap);
    if (known != records_.end()) known->second = record;
  }
  count_failing();
}

}  // namespace parity::faults

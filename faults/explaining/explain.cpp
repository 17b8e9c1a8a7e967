// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/explain.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include <fmt/ranges.h>

#include "core/plans/profile.hpp"
#include "faults/catalogue.hpp"
#include "faults/edits/edit.hpp"
#include "faults/edits/notation.hpp"
#include "faults/explaining/inquiry.hpp"
#include "faults/explaining/narrowed.hpp"

namespace parity::faults {
namespace {

using compare::Record;

std::string share_of(const Explanation& e) {
  return fmt::format("explains {} of {} failing taps; the error of the first one then uses {:.0f}% of the tolerance",
                     e.explained, e.failing, 100.0 * e.residual);
}

/// Returns the other profiles of the system in the order of releases. Those for binary64 captures end in "-f64".
std::vector<std::string> other_profiles(const compare::GoldenReport& report) {
  constexpr std::string_view kSuffix = "-f64";
  const bool wide = report.profile.ends_with(kSuffix);
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) {
    const std::string name = profile.name + (wide ? std::string(kSuffix) : "");
    const std::string own = wide ? report.profile.substr(0, report.profile.size() - kSuffix.size()) : report.profile;
    const bool same = std::find(profile.also.begin(), profile.also.end(), own) != profile.also.end();
    if (profile.system == report.system && name != report.profile && !same) names.push_back(name);
  }
  return names;
}

/// Searches for causes, one after the other.
class CauseSearch {
 public:
  CauseSearch(Inquiry& inquiry, const ExplainSettings& settings, const compare::GoldenReport& report,
              Deadline& deadline)
      : inquiry_(inquiry), settings_(settings), report_(report), deadline_(deadline) {}

  void run(Findings& findings) {
    const std::set<std::string> failed = inquiry_.failing();
    std::set<std::string> given_up;
    while (findings.explanations.size() < settings_.most) {
      const Record* first = inquiry_.next(given_up);
      if (first == nullptr) break;
      const auto found = cause_of(Record(*first));
      if (!found) {  // later failures may have another cause
        findings.unnamed.push_back(first->tap);
        const std::string component = first->component;
        for (const std::string& tap : inquiry_.failing()) {
          if (inquiry_.record(tap)->component == component) given_up.insert(tap);
        }
        continue;
      }
      findings.explanations.push_back(found->explanation);
      inquiry_.assume(*found);
    }
    findings.unexplained = static_cast<int64_t>(inquiry_.failing().size());
    for (Explanation& explanation : findings.explanations) {
      for (Fault& fault : explanation.faults) {
        Fault held = inquiry_.where_it_holds(fault, failed);
        explanation.everywhere = explanation.everywhere && held.at == fault.at;
        fault = std::move(held);
      }
    }
  }

  /// Returns every fault of the catalogue that explains `first`, best first.
  [[nodiscard]] std::vector<Verified> known(const Record& first) const {
    std::vector<Verified> found;
    const replay::Span* span = inquiry_.reading().span_of(first.tap);
    if (span == nullptr) return found;
    const auto probe_of_span = probe_of(*span, {first.tap});
    if (!probe_of_span) return found;
    const Probe& probe = *probe_of_span;
    for (const Fault& fault : catalogue()) {
      if (!fault.equivalent.empty() || settings_.left_out.contains(fault.id) || !inquiry_.concerned(fault, first))
        continue;
      if (deadline_.over()) {
        deadline_.leave_out(1);
        continue;
      }
      const auto distance = probe.distance({fault});
      if (distance && !distance->gains_on(probe.start())) continue;  // a judgement would reject it too, but slower
      auto verified = inquiry_.verified({fault}, first);
      if (!verified) continue;
      verified->explanation.known = true;
      found.push_back(std::move(*verified));
    }
    std::stable_sort(found.begin(), found.end(), better);
    return found;
  }

 private:
  /// Returns nullptr if the span cannot be computed under the faults assumed so far.
  [[nodiscard]] std::unique_ptr<const Probe> probe_of(const replay::Span& span,
                                                      const std::set<std::string>& failing) const {
    try {
      return std::make_unique<const Probe>(inquiry_.reading(), span, failing);
    } catch (const Error&) {
      return nullptr;
    }
  }

  [[nodiscard]] std::optional<Verified> cause_of(const Record& first) {
    if (settings_.profiles && inquiry_.reading().base()->profile.empty()) {
      if (auto profile = profile_of(first)) return profile;
    }
    auto found = known(first);
    if (!found.empty()) return found.front();
    if (!settings_.fits) return std::nullopt;
    return fitted(first);
  }

  [[nodiscard]] std::optional<Verified> profile_of(const Record& first) const {
    std::optional<Verified> best;
    for (const std::string& profile : other_profiles(report_)) {
      auto verified = inquiry_.verified_profile(profile, first);
      if (verified && (!best || better(*verified, *best))) best = std::move(verified);
    }
    return best;
  }

  /// Returns the best fit that the judge accepts. If no single edit does, sets of two or three are tried.
  [[nodiscard]] std::optional<Verified> fitted(const Record& first) {
    const replay::Span* span = inquiry_.reading().span_of(first.tap);
    if (span == nullptr) return std::nullopt;
    const auto probe_of_span = probe_of(*span, inquiry_.failing());
    if (!probe_of_span) return std::nullopt;
    const Probe& probe = *probe_of_span;
    constexpr size_t kWidth = 3, kDepth = 3;  // number of sets to extend, and edits per set
    std::vector<std::vector<Fault>> sets{{}};
    for (size_t depth = 0; depth < kDepth && !sets.empty() && !deadline_.over(); ++depth) {
      std::vector<std::pair<Distance, std::vector<Fault>>> longer;
      std::vector<Verified> accepted;
      for (const std::vector<Fault>& set : sets) {
        const auto fits = fits_of(probe, set, deadline_);
        add(accepted, set, fits, probe, first);
        for (size_t i = 0; i < std::min(fits.size(), kWidth); ++i) {
          longer.emplace_back(fits[i].distance, set);
          longer.back().second.push_back(fits[i].fault);
        }
      }
      if (!accepted.empty())
        return plainer(inquiry_, narrowed(inquiry_, *std::min_element(accepted.begin(), accepted.end(), better), first),
                       first);
      std::stable_sort(longer.begin(), longer.end(),
                       [](const auto& a, const auto& b) { return a.first.rms < b.first.rms; });
      sets.clear();
      for (size_t i = 0; i < std::min(longer.size(), kWidth); ++i) sets.push_back(longer[i].second);
    }
    return std::nullopt;
  }

  void add(std::vector<Verified>& accepted, const std::vector<Fault>& set, const std::vector<Fit>& fits,
           const Probe& probe, const Record& first) const {
    constexpr size_t kMost = 6;  // number of the best-looking fits that are judged in full
    size_t judged = 0;
    for (const Fit& fit : fits) {
      if (judged == kMost) return;
      if (!fit.distance.closer_than(probe.start())) continue;
      ++judged;
      std::vector<Fault> faults = set;
      faults.push_back(fit.fault);
      if (auto verified = inquiry_.verified(faults, first)) accepted.push_back(std::move(*verified));
    }
  }

  Inquiry& inquiry_;
  const ExplainSettings& settings_;
  const compare::GoldenReport& report_;
  Deadline& deadline_;
};

}  // namespace

std::string text_of(const Explanation& explanation) {
  const std::string share = share_of(explanation);
  if (explanation.faults.empty()) return fmt::format("is right under profile {}; {}", explanation.profile, share);
  std::vector<std::string> what;
  for (const Fault& fault : explanation.faults) what.push_back(fmt::format("{} ({})", fault.title, fault.id));
  return fmt::format("matches the reference with this bug: {}{}; {}", fmt::join(what, " and "),
                     explanation.everywhere ? "" : ", only at the failing nodes", share);
}

std::vector<compare::Cause> causes_of(const Explanation& explanation) {
  const double share = explanation.failing == 0
                           ? 0.0
                           : static_cast<double>(explanation.explained) / static_cast<double>(explanation.failing);
  if (explanation.faults.empty())
    return {{explanation.tap, "profile", explanation.profile, "is right under profile " + explanation.profile, share}};
  std::vector<compare::Cause> causes;
  for (const Fault& fault : explanation.faults) {
    compare::Cause cause{explanation.tap, kind_of(fault.edits), notation_of(fault), fault.title, share};
    if (explanation.known) {
      cause.what = "fault";
      cause.value = fault.id;
    }
    causes.push_back(std::move(cause));
  }
  return causes;
}

std::vector<compare::Cause> Findings::causes() const {
  std::vector<compare::Cause> result;
  for (const Explanation& explanation : explanations) {
    for (compare::Cause& cause : causes_of(explanation)) result.push_back(std::move(cause));
  }
  return result;
}

std::string Findings::text(const std::string& tap, const std::string& values) const {
  const auto own = std::find_if(explanations.begin(), explanations.end(), [&](const Explanation& e) {
    return e.tap == tap || e.faults.empty();
  });  // a profile applies to the whole run
  std::string text = own != explanations.end() ? text_of(*own)
                     : !values.empty()         ? values + "; no known fault does this"
                                               : "no known fault and no single change explains this";
  if (!explanations.empty() && unexplained > 0)
    text += fmt::format("; {} of {} failing taps remain unexplained", unexplained, failing);
  if (not_tried > 0) text += fmt::format("; {} possible causes were not tested for lack of time", not_tried);
  return text;
}

void require_places(const std::vector<Fault>& faults, const Plan& plan) {
  for (const Fault& fault : faults) {
    const bool met = std::any_of(plan.nodes.begin(), plan.nodes.end(),
                                 [&](const Node& node) { return concerns(fault, plan, node); });
    PARITY_CHECK(met, usage, "'{}' changes no node of {}, so it cannot be assumed", fault.id, plan.system);
  }
}

compare::Hypothesis hypothesis_of(const std::vector<Fault>& faults) {
  return [faults](Plan& plan, const WeightSource& weights) -> compare::Rewritten {
    auto edited = applied(faults, plan);
    if (!edited) return {};
    plan = std::move(edited->plan);
    return {edited->registry, std::make_unique<EditedWeights>(weights, edited->weights)};
  };
}

Fault assumed_fault(const std::string& text) {
  const auto names_component = [&] {
    const auto names = registry().components();
    return std::find(names.begin(), names.end(), text.substr(0, text.find('.'))) != names.end();
  };
  return names_component() && text.find('.') != std::string::npos ? fault_of_notation(text) : find_fault(text);
}

Findings investigate(const golden::Golden& golden, const compare::RunOptions& options,
                     const compare::GoldenReport& report, const ExplainSettings& settings) {
  Findings findings;
  if (!report.first_divergence) return findings;
  Inquiry inquiry(golden, options, report);
  findings.failing = inquiry.failing_at_first();
  Deadline deadline(settings.seconds);
  CauseSearch(inquiry, settings, report, deadline).run(findings);
  findings.not_tried = deadline.left_out();
  return findings;
}

std::vector<Explanation> explain(const golden::Golden& golden, const compare::RunOptions& options,
                                 const compare::GoldenReport& report, const std::set<std::string>& left_out) {
  std::vector<Explanation> result;
  if (!report.first_divergence) return result;
  Inquiry inquiry(golden, options, report);
  const Record* first = inquiry.record(report.first_divergence->tap);
  if (first == nullptr || first->status != compare::Status::fail) return result;
  ExplainSettings settings;
  settings.seconds = 3600.0;  // the catalogue is finite, and no study may depend on the speed of the machine
  settings.left_out = left_out;
  Deadline deadline(settings.seconds);
  for (const Verified& verified : CauseSearch(inquiry, settings, report, deadline).known(*first))
    result.push_back(verified.explanation);
  return result;
}

}  // namespace parity::faults

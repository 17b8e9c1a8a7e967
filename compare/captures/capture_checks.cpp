// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/capture_checks.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "compare/captures/lost_taps.hpp"
#include "core/text.hpp"

namespace parity::compare {
namespace {

std::string first_of(const std::vector<std::string>& names) {
  constexpr size_t kShown = 4;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<int64_t>(std::min(kShown, names.size())));
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kShown ? ", …" : "");
}

void skip_lent(const replay::Recording& capture, GoldenReport& report) {
  for (Record& record : report.records) {
    if (capture.lent().contains(record.tap))
      skip(record, "lent: the capture states that other software computed this tap");
  }
}

/// Whether `tap` belongs to a call all of whose sequences were declared absent.
bool nothing_computed(const replay::Recording& capture, const std::string& tap) {
  const Plan& plan = capture.plan();
  const auto found = plan.taps.find(tap);
  if (found == plan.taps.end() || found->second.producer < 0) return false;
  const AxisSizes& sizes = plan.sizes_of(plan.nodes[static_cast<size_t>(found->second.producer)]);
  const auto batch = sizes.find('B');
  const std::vector<int64_t>& rows = capture.declared().rows;
  for (int64_t row = 0; batch != sizes.end() && row < batch->second; ++row) {
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) return false;
  }
  return batch != sizes.end() && batch->second > 0;
}

/// Skips records of taps that have no sequence axis (tables, losses, towers) if no sequence of the call was computed.
void skip_without_sequences(const replay::Recording& capture, GoldenReport& report) {
  if (capture.declared().rows.empty() || report.records.empty()) return;
  bool any = false;
  for (Record& record : report.records) {
    if (nothing_computed(capture, record.tap)) {
      skip(record, "not_computed_rows lists every sequence of the call");
    } else {
      any = any || record.status != Status::skipped;
    }
  }
  if (!any && report.reason.empty())
    report.reason =
        "not_computed_rows lists every sequence, so nothing was computed; list only those that were not run";
}

void add_unknown(const replay::Recording& capture, GoldenReport& report) {
  std::vector<std::string> known;
  for (const auto& [tap, info] : capture.plan().taps) known.push_back(tap);
  for (const auto& [alias, tap] : capture.plan().aliases) known.push_back(alias);
  for (const std::string& tap : report.unknown_taps)
    report.not_shown.push_back(fmt::format("the golden has no tap {}{}", tap, did_you_mean(tap, known)));
}

bool is_judged(Status status) {
  return status == Status::pass || status == Status::fail || status == Status::mistrusted;
}

std::set<std::string> judged_taps(const GoldenReport& report) {
  std::set<std::string> taps;
  for (const Record& record : report.records) {
    if (is_judged(record.status)) taps.insert(record.tap);
  }
  return taps;
}

}  // namespace

void check_capture(const CaptureView& view, const std::vector<replay::Span>& spans, GoldenReport& report) {
  GoldensBits bits(view.golden, view.capture);
  CaptureSummary& summary = *report.capture;
  summary.declared = view.capture.declared().marked;
  summary.not_computed = view.capture.declared().text();
  if (!view.capture.lent().empty())
    summary.not_computed.push_back(fmt::format("{} taps computed by other software (lent): {}",
                                               view.capture.lent().size(),
                                               first_of({view.capture.lent().begin(), view.capture.lent().end()})));
  summary.stated = view.capture.declared().stated.text();
  const auto [same, other] = bits.count();
  summary.goldens_bits = same;
  add_unknown(view.capture, report);
  for (std::string& reason : lacks_of(view.golden, view.capture, view.select))
    report.not_shown.push_back(std::move(reason));
  const bool is_golden = refuse_copy(view.origin, bits, report);
  if (!is_golden && !summary.declared && summary.inputs == "own") {
    const int64_t copied = skip_copied(view.golden, view.capture, spans, bits, report);
    // A copy of the golden with one kernel's outputs has the golden's bits at all other taps. A separate run has not.
    if (copied > 0 && other > same)
      report.not_shown.push_back(
          fmt::format("{} taps have the golden's bits although their inputs differ, so they look copied", copied));
  }
  skip_lent(view.capture, report);
  skip_without_sequences(view.capture, report);
  if (same > 0 && other > 0 && !summary.declared)
    report.notes.push_back(
        fmt::format("{} of the {} taps of the capture have the golden's bits, and none is declared as computed; to "
                    "declare them, fill a file of `parity capture init`",
                    same, same + other));
}

void count_coverage(const replay::Recording& golden, GoldenReport& report) {
  const std::set<std::string> judged = judged_taps(report);
  std::map<std::string, Coverage> by_component;
  for (const auto& [tap, component] : report.outputs) {
    if (!golden.has(tap) && !judged.contains(tap)) continue;
    Coverage& of = by_component[component];
    of.component = component;
    ++of.of;
    of.judged += judged.contains(tap) ? 1 : 0;
  }
  report.coverage.clear();
  for (auto& [component, of] : by_component) report.coverage.push_back(of);
}

void check_required(const std::vector<std::string>& required, GoldenReport& report) {
  const std::set<std::string> judged = judged_taps(report);
  for (const std::string& glob : required) {
    const bool by_tap = glob.find('/') != std::string::npos;
    std::vector<std::string> names, lacking;
    int64_t met = 0;
    for (const auto& [tap, component] : report.outputs) {
      names.push_back(by_tap ? tap : component);
      if (!glob_match(glob, names.back())) continue;
      ++met;
      if (!judged.contains(tap)) lacking.push_back(tap);
    }
    if (met == 0) {
      report.not_shown.push_back(fmt::format("--require '{}' matches no {} of the model{}", glob,
                                             by_tap ? "tap" : "component", did_you_mean(glob, names)));
    } else if (!lacking.empty()) {
      report.not_shown.push_back(fmt::format("--require '{}': {} of {} taps were not judged: {}", glob, lacking.size(),
                                             met, first_of(lacking)));
    }
  }
}

void apply_not_shown(GoldenReport& report) {
  if (report.not_shown.empty()) return;
  if (report.verdict != Status::pass && report.verdict != Status::skipped) return;
  report.verdict = Status::mistrusted;
  if (report.reason.empty()) report.reason = report.not_shown.front();
}

}  // namespace parity::compare

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/capture_checks.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "compare/lost_taps.hpp"
#include "core/text.hpp"

namespace parity::compare {
namespace {

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

/// Which taps have the golden's bits; every tap is read once.
class Bits {
 public:
  explicit Bits(const CaptureView& view) : view_(view) {}

  /// False where one of the two has no such tap.
  [[nodiscard]] bool same(const std::string& tap) {
    const auto [known, fresh] = same_.try_emplace(tap, false);
    if (fresh && view_.golden.available(tap) && view_.capture.available(tap))
      known->second = same_bytes(view_.golden.read(tap), view_.capture.read(tap));
    return known->second;
  }

  /// Recorded outputs with the golden's bits, and with others.
  [[nodiscard]] std::pair<int64_t, int64_t> count() {
    std::pair<int64_t, int64_t> result;
    for (const auto& [tap, info] : view_.capture.plan().taps) {
      if (info.producer >= 0 && view_.capture.has(tap)) ++(same(tap) ? result.first : result.second);
    }
    result.second += static_cast<int64_t>(view_.capture.mismatches().size());
    return result;
  }

 private:
  const CaptureView& view_;
  std::map<std::string, bool> same_;
};

std::string first_of(const std::vector<std::string>& names) {
  constexpr size_t kShown = 4;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<int64_t>(std::min(kShown, names.size())));
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kShown ? ", …" : "");
}

void skip(Record& record, const std::string& reason) {
  record.status = Status::skipped;
  record.reason = reason;
  record.where.clear();
  record.deviation.reset();
}

/// The span that judges a tap; nullptr when there is none.
const replay::Span* span_of(const std::vector<replay::Span>& spans, const std::string& tap) {
  const auto found = std::find_if(spans.begin(), spans.end(), [&](const replay::Span& span) {
    return std::find(span.judged.begin(), span.judged.end(), tap) != span.judged.end();
  });
  return found == spans.end() ? nullptr : &*found;
}

void skip_lent(const replay::Recording& capture, GoldenReport& report) {
  for (Record& record : report.records) {
    if (capture.lent().contains(record.tap)) skip(record, "lent: the capture says that another computed it");
  }
}

/// Values that nobody computed from these inputs; returns how many.
int64_t skip_copied(const CaptureView& view, const std::vector<replay::Span>& spans, Bits& bits, GoldenReport& report) {
  int64_t skipped = 0;
  for (Record& record : report.records) {
    const bool right = record.status == Status::pass && !record.deviation;
    const replay::Span* span = right || record.mode != Mode::isolated ? nullptr : span_of(spans, record.tap);
    if (span == nullptr || view.capture.lent().contains(record.tap) || !bits.same(record.tap)) continue;
    const auto other = std::find_if(span->inputs.begin(), span->inputs.end(), [&](const std::string& input) {
      return view.golden.available(input) && !bits.same(input);
    });
    if (other == span->inputs.end()) continue;
    skip(record, fmt::format("has the golden's bits although its input {} has not: copied, not computed", *other));
    ++skipped;
  }
  return skipped;
}

constexpr const char* kGoldens =
    "the file has the golden's bits everywhere and does not say that anything else made it: it is the golden, which "
    "shows "
    "nothing; fill what `parity capture init` writes";

void add_unknown(const replay::Recording& capture, GoldenReport& report) {
  std::vector<std::string> known;
  for (const auto& [tap, info] : capture.plan().taps) known.push_back(tap);
  for (const auto& [alias, tap] : capture.plan().aliases) known.push_back(alias);
  for (const std::string& tap : report.unknown_taps)
    report.not_shown.push_back(fmt::format("unknown tap {}{}", tap, did_you_mean(tap, known)));
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

bool states_origin(const golden::Declaration& declared, const Implementation& goldens, const Implementation& captures) {
  return declared.marked || captures.attention != goldens.attention || captures.experts != goldens.experts;
}

void check_capture(const CaptureView& view, const std::vector<replay::Span>& spans, GoldenReport& report) {
  Bits bits(view);
  CaptureSummary& summary = *report.capture;
  summary.declared = view.capture.declared().marked;
  summary.not_computed = view.capture.declared().text();
  if (!view.capture.lent().empty())
    summary.not_computed.push_back(fmt::format("{} taps that another computed (lent): {}", view.capture.lent().size(),
                                               first_of({view.capture.lent().begin(), view.capture.lent().end()})));
  summary.stated = view.capture.declared().stated.text();
  const auto [same, other] = bits.count();
  summary.goldens_bits = same;
  add_unknown(view.capture, report);
  for (std::string& reason : lacks_of(view.golden, view.capture, view.select))
    report.not_shown.push_back(std::move(reason));
  if (same > 0 && other == 0 && !view.stated) {
    for (Record& record : report.records) skip(record, "has the golden's bits, as the whole file");
    report.reason = kGoldens;
  } else if (!summary.declared && summary.inputs == "own") {
    const int64_t copied = skip_copied(view, spans, bits, report);
    // A copy of the golden with a kernel's outputs has the golden's everywhere else; an engine's own run has not.
    if (copied > 0 && other > same)
      report.not_shown.push_back(fmt::format("{} taps have the golden's bits although their inputs have not", copied));
  }
  skip_lent(view.capture, report);
  if (same > 0 && other > 0 && !summary.declared)
    report.notes.push_back(
        fmt::format("{} of the {} taps of the capture have the golden's bits, and nothing says that "
                    "they were computed; fill what `parity capture init` writes",
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
      report.not_shown.push_back(fmt::format("--require '{}' matches no {} of the plan{}", glob,
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

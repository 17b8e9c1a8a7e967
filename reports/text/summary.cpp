// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/summary.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/values/region.hpp"
#include "reports/text/format.hpp"
#include "reports/text/record_text.hpp"

namespace parity::reports {
namespace {

using compare::GoldenReport;
using compare::Record;
using compare::RunReport;
using compare::Status;

const Record* first_with(const RunReport& report, Status status) {
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) {
      if (record.status == status) return &record;
    }
  }
  return nullptr;
}

std::string first_golden_reason(const RunReport& report, Status status) {
  for (const GoldenReport& golden : report.goldens) {
    if (golden.verdict == status && !golden.reason.empty()) {
      return name_of(golden) + ": " + plain(golden.reason);
    }
  }
  return {};
}

/// Returns "GOLDEN: " for the first divergence if there are several goldens.
std::string place_of_divergence(const RunReport& report) {
  if (report.goldens.size() < 2) return {};
  const auto diverges = [](const GoldenReport& golden) { return golden.first_divergence.has_value(); };
  const auto found = std::find_if(report.goldens.begin(), report.goldens.end(), diverges);
  return found == report.goldens.end() ? "" : name_of(*found) + ": ";
}

/// Describes the first record or golden with this status.
std::string first_culprit(const RunReport& report, Status status) {
  const Record* record = first_with(report, status);
  if (record == nullptr) return first_golden_reason(report, status);
  const std::string reason = plain(record->reason);
  return fmt::format("{} ({}){}", plain(record->tap), plain(record->component), reason.empty() ? "" : ": " + reason);
}

int64_t sum(const RunReport& report, int64_t compare::TapCounts::*member) {
  int64_t result = 0;
  for (const GoldenReport& golden : report.goldens) result += golden.taps.*member;
  return result;
}

std::string counted(int64_t number, const char* thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

/// Returns ": router 0/4, rms_norm 3/12": the components with taps that were not judged, those lacking most first.
std::string lacking_components(const std::vector<compare::Coverage>& coverage) {
  constexpr size_t kShown = 4;
  std::vector<compare::Coverage> lacking;
  std::copy_if(coverage.begin(), coverage.end(), std::back_inserter(lacking),
               [](const compare::Coverage& of) { return of.judged < of.of; });
  std::stable_sort(lacking.begin(), lacking.end(),
                   [](const auto& a, const auto& b) { return a.of - a.judged > b.of - b.judged; });
  std::string text;
  for (size_t i = 0; i < lacking.size() && i < kShown; ++i)
    text +=
        fmt::format("{}{} {}/{}", i == 0 ? ": " : ", ", plain(lacking[i].component), lacking[i].judged, lacking[i].of);
  return text + (lacking.size() > kShown ? ", …" : "");
}

std::string judged_of(int64_t judged, int64_t of) {
  if (judged == of) return counted(judged, "tap") + " judged";
  return fmt::format("{} of {} judged", judged, counted(of, "tap"));
}

/// Returns "228 of 241 taps judged: router 0/4, …" for a capture. The total is of taps that the golden records.
std::string covered_taps(const GoldenReport& golden) {
  int64_t judged = 0, of = 0;
  for (const compare::Coverage& component : golden.coverage) {
    judged += component.judged;
    of += component.of;
  }
  return fmt::format("{} of {} judged{}", judged, counted(of, "tap"), lacking_components(golden.coverage));
}

/// Returns the judged taps of all goldens; for a single golden its own text.
std::string all_judged_taps(const RunReport& report) {
  using compare::TapCounts;
  if (report.goldens.size() == 1) return judged_taps(report.goldens.front());
  const int64_t judged = sum(report, &TapCounts::judged);
  const int64_t others =
      sum(report, &TapCounts::spanned) + sum(report, &TapCounts::not_recorded) + sum(report, &TapCounts::unjudged);
  return judged_of(judged, judged + others);
}

/// Returns how many goldens hold, for a run of several that judges less than required.
std::string shown(const RunReport& report) {
  if (report.goldens.size() < 2) return {};
  const auto holds = std::count_if(report.goldens.begin(), report.goldens.end(), [](const GoldenReport& golden) {
    return compare::is_green(golden.verdict) && golden.taps.judged > 0;
  });
  return fmt::format(" ({} of {} shown, {})", holds, counted(static_cast<int64_t>(report.goldens.size()), "golden"),
                     all_judged_taps(report));
}

}  // namespace

double worse(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  return std::max(a, b);
}

void Tally::add(const Record& record) {
  if (!is_judged(record.status)) {
    ++other;
    return;
  }
  ++judged;
  passed += record.status == Status::pass ? 1 : 0;
  failed += record.status == Status::fail ? 1 : 0;
  mistrusted += record.status == Status::mistrusted ? 1 : 0;
  worst_budget = worse(worst_budget, record.budget_used);
  worst_relative_error = worse(worst_relative_error, record.relative_error);
  bit_equal.equal += record.bit_equal.equal;
  bit_equal.total += record.bit_equal.total;
  bit_equal.near_ties += record.bit_equal.near_ties;
  bit_equal.max_ulp = worse(bit_equal.max_ulp, record.bit_equal.max_ulp);
  flips += record.discrete ? record.discrete->flips : 0;
}

Tally& Tallies::at(const Key& key) {
  const auto [entry, fresh] = index_.try_emplace(key, rows_.size());
  if (fresh) rows_.emplace_back(key, Tally{});
  return rows_[entry->second].second;
}

std::string pooled_tap(const std::string& tap) {
  std::string result;
  for (size_t first = 0; first <= tap.size();) {
    const size_t last = std::min(tap.find('/', first), tap.size());
    const std::string part = tap.substr(first, last - first);
    const bool numeric =
        !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (first > 0) result += '/';
    result += numeric ? "*" : part;
    first = last + 1;
  }
  return result;
}

std::string usual_dtype(const GoldenReport& golden) {
  std::map<DType, int64_t> uses;
  for (const Record& record : golden.records) {
    if (is_judged(record.status) && is_float(record.dtype)) ++uses[record.dtype];
  }
  const auto most =
      std::max_element(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == uses.end() ? "-" : to_string(most->first);
}

std::string name_of(const GoldenReport& golden) { return plain(golden.name.empty() ? golden.path : golden.name); }

std::string judged_taps(const GoldenReport& golden) {
  if (golden.capture) return covered_taps(golden);
  const compare::TapCounts& taps = golden.taps;
  return judged_of(taps.judged, taps.judged + taps.spanned + taps.not_recorded + taps.unjudged);
}

std::string divergence_text(const std::optional<compare::Divergence>& divergence) {
  if (!divergence) return "-";
  const std::string explanation = plain(divergence->explanation);
  return fmt::format("{} ({}){}", plain(divergence->tap), plain(divergence->component),
                     explanation.empty() ? "" : ": " + explanation);
}

std::string values_text(const std::optional<compare::ValueMatch>& values) {
  if (!values) return {};
  std::string text = fmt::format("{}: {}", to_string(values->kind), plain(values->detail));
  for (const std::string& letter : split_axes(values->axis)) {  // unless the detail names it
    const std::string word = compare::axis_word(letter);
    if (values->detail.find(word) == std::string::npos) text += fmt::format(" ({} axis)", plain(word));
  }
  if (values->explains < 1.0) text += fmt::format(", {:.1f}% of the wrong elements", 100.0 * values->explains);
  return text;
}

std::string cause_text(const compare::Cause& cause, bool with_tap) {
  const std::string name = cause.value.empty() ? "" : fmt::format("{} {}: ", cause.what, plain(cause.value));
  return fmt::format("{}{}; explains {:.0f}% of the failing taps{}", name, plain(cause.text), 100.0 * cause.explains,
                     with_tap ? ", from " + plain(cause.tap) : "");
}

bool parity_holds(const RunReport& report) {
  return compare::is_green(report.verdict) && first_with(report, Status::pass) != nullptr;
}

/// Returns ", with other roundings in 88 taps", or "" if all bits are the oracle's.
std::string other_roundings(const RunReport& report) {
  std::set<std::string> taps;
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) {
      if (record.deviation) taps.insert(golden.path + record.tap);
    }
  }
  if (taps.empty()) return {};
  return fmt::format(", with other roundings in {}", counted(static_cast<int64_t>(taps.size()), "tap"));
}

/// Returns the accepted deviations with their reasons, or "" if there are none.
std::string accepted_text(const RunReport& report) {
  std::set<std::string> taps, reasons;
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) {
      if (record.accepted.empty()) continue;
      taps.insert(golden.path + record.tap);
      reasons.insert(plain(record.accepted));
    }
  }
  if (taps.empty()) return {};
  return fmt::format("accepted in {}: {}", counted(static_cast<int64_t>(taps.size()), "tap"), fmt::join(reasons, "; "));
}

/// For captures without a declaration, returns how many taps may be copies.
std::string copied_text(const RunReport& report) {
  int64_t same = 0;
  for (const GoldenReport& golden : report.goldens) {
    if (golden.capture && !golden.capture->declared) same += golden.capture->goldens_bits;
  }
  if (same == 0) return {};
  return fmt::format("; {} have the golden's bits and are not declared as computed", counted(same, "tap"));
}

std::string closing_line(const RunReport& report) {
  if (!parity_holds(report) && report.exit_code == 0 && !accepted_text(report).empty())
    return "PARITY BROKEN, " + accepted_text(report);
  if (report.answer == compare::Answer::rounds_differently && !parity_holds(report))
    return "ROUNDS DIFFERENTLY, within the derived bounds" + other_roundings(report) +
           "; --policy bounds accepts all of it, --accept FILE a part";
  if (parity_holds(report)) {
    return fmt::format("parity holds{}: {}, {}, {} unknown{}", other_roundings(report),
                       counted(static_cast<int64_t>(report.goldens.size()), "golden"), all_judged_taps(report),
                       sum(report, &compare::TapCounts::unknown), copied_text(report));
  }
  const auto with = [&](const std::string& what) {
    const std::string culprit = first_culprit(report, report.verdict);
    const bool only = report.goldens.size() == 1 && first_with(report, report.verdict) == nullptr;  // the golden failed
    return culprit.empty() ? what : fmt::format("{}: {}{}", what, only ? "" : "first ", culprit);
  };
  const auto not_shown = [&](const char* what) {
    return with(fmt::format("PARITY NOT SHOWN{}{}", shown(report), what));
  };
  const bool lacking = report.goldens.size() == 1 && !report.goldens[0].not_shown.empty();
  if (lacking && report.verdict == Status::mistrusted && first_with(report, Status::mistrusted) == nullptr)
    return fmt::format("PARITY NOT SHOWN: {}; {}", plain(report.goldens[0].not_shown.front()), all_judged_taps(report));
  switch (report.verdict) {
    case Status::fail:
      if (report.first_divergence)
        return fmt::format("PARITY BROKEN: {}first divergence {} ({})", place_of_divergence(report),
                           plain(report.first_divergence->tap), plain(report.first_divergence->component));
      return with("PARITY BROKEN");
    case Status::mistrusted:
      return not_shown(", the passing taps prove too little");
    case Status::unimplemented:
      return not_shown(", the candidate computes none of the taps");
    case Status::error:
      return not_shown(", an error");
    case Status::pass:
      return "PARITY NOT SHOWN, nothing was judged";
    case Status::not_recorded:
    case Status::skipped:
      break;
  }
  return not_shown(", nothing was judged");
}

}  // namespace parity::reports

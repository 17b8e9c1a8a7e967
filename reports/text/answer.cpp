// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/answer.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plans/profile.hpp"
#include "reports/text/colour.hpp"
#include "reports/text/format.hpp"
#include "reports/text/record_text.hpp"
#include "reports/text/summary.hpp"
#include "reports/text/wrap.hpp"

namespace parity::reports {
namespace {

using compare::Answer;
using compare::GoldenReport;
using compare::Record;
using compare::Status;

constexpr size_t kLabel = 10;  // width of the label in columns

class Lines {
 public:
  explicit Lines(size_t width) : width_(width) {}
  void add(const std::string& label, const std::string& text) {
    if (!text.empty()) text_ += begin(label) + wrapped(text, width_, kLabel) + '\n';
  }
  void command(const std::string& label, const std::string& text) {
    if (!text.empty()) text_ += begin(label) + wrapped_command(text, width_, kLabel) + '\n';
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static std::string begin(const std::string& label) { return fmt::format("  {:<{}}", label, kLabel - 2); }

  size_t width_;
  std::string text_;
};

bool fails(const Record& record) {
  const Outcome outcome = outcome_of(record);
  return outcome == Outcome::failed || outcome == Outcome::error;
}

/// Returns the record of the first divergence, or else the first record that is not green.
const Record* first_wrong(const GoldenReport& golden) {
  const Record* first = nullptr;
  for (const Record& record : golden.records) {
    const bool named = golden.first_divergence && record.tap == golden.first_divergence->tap;
    if (named && (fails(record) || record.deviation)) return &record;
    if (first == nullptr && fails(record)) first = &record;
  }
  return first;
}

const char* word_of(const GoldenReport& golden) {
  if (golden.answer == Answer::rounds_differently && golden.verdict == Status::fail) return "ROUNDS DIFFERENTLY";
  switch (golden.verdict) {
    case Status::fail:
      return "BROKEN";
    case Status::error:
      return "ERROR";
    default:
      return "NOT SHOWN";
  }
}

void add_first(const GoldenReport& golden, Lines& lines) {
  const Record* record = first_wrong(golden);
  const auto& first = golden.first_divergence;
  if (record == nullptr && !first) return;
  const std::string& tap = record != nullptr ? record->tap : first->tap;
  const std::string& component = record != nullptr ? record->component : first->component;
  lines.add("first", fmt::format("{} ({})", plain(tap), plain(component)));
  if (golden.ranks && golden.ranks->tap == tap) lines.add("ranks", plain(golden.ranks->text));
  if (record != nullptr) {
    lines.add("", extent_of_failure(*record));
    const std::string worst = worst_element(*record);
    lines.add("", worst.empty() ? "" : "worst at " + worst);
    lines.add("", record->where.empty() ? "" : plain(record->where));
    lines.add("", plain(record->reason));
    if (record->deviation) lines.add("", plain(record->deviation->text));
  }
  if (first && first->tap == tap) lines.add("values", values_text(first->values));
}

void add_causes(const GoldenReport& golden, Lines& lines) {
  constexpr size_t kShown = 3;
  const Record* first = first_wrong(golden);
  for (size_t i = 0; i < golden.causes.size() && i < kShown; ++i) {
    const compare::Cause& cause = golden.causes[i];
    lines.add("cause", cause_text(cause, first == nullptr || cause.tap != first->tap));
  }
  if (golden.causes.size() > kShown) lines.add("", fmt::format("and {} more (-v)", golden.causes.size() - kShown));
  if (golden.causes.empty() && golden.first_divergence) lines.add("cause", plain(golden.first_divergence->explanation));
}

/// Returns "rms_norm 3, linear 2": the most affected components first, equally affected ones in plan order.
std::string by_component(const std::vector<const Record*>& records) {
  constexpr size_t kShown = 4;
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const Record* record : records) {
    const auto known =
        std::find_if(counts.begin(), counts.end(), [&](const auto& count) { return count.first == record->component; });
    if (known == counts.end()) {
      counts.emplace_back(record->component, 1);
    } else {
      ++known->second;
    }
  }
  std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> words;
  for (size_t i = 0; i < counts.size() && i < kShown; ++i)
    words.push_back(fmt::format("{} {}", plain(counts[i].first), counts[i].second));
  return fmt::format("{}{}", fmt::join(words, ", "), counts.size() > kShown ? ", …" : "");
}

/// Adds the other failing taps, each once, and whether the cause is their own node or a wrong input.
void add_others(const GoldenReport& golden, Lines& lines) {
  const Record* first = first_wrong(golden);
  const Inherited inherited(golden);
  std::set<std::string> seen;
  if (first != nullptr) seen.insert(first->tap);
  std::vector<const Record*> own, others;
  for (const bool whose : {false, true}) {
    for (const Record& record : golden.records) {
      if (!fails(record) || inherited.contains(record) != whose || !seen.insert(record.tap).second) continue;
      (whose ? others : own).push_back(&record);
    }
  }
  const auto taps = [](size_t count) { return fmt::format("{} more tap{}", count, count == 1 ? "" : "s"); };
  if (!own.empty()) lines.add("also", fmt::format("{}: {}", taps(own.size()), by_component(own)));
  if (!others.empty())
    lines.add(own.empty() ? "also" : "",
              fmt::format("{} only wrong because of wrong inputs: {}", taps(others.size()), by_component(others)));
}

/// Returns the reasons why the golden cannot pass, one per line, without the one that the line "why" states.
std::string not_shown_lines(const GoldenReport& golden, const TerminalStyle& style) {
  std::vector<std::string> reasons;
  std::copy_if(golden.not_shown.begin(), golden.not_shown.end(), std::back_inserter(reasons),
               [&](const std::string& reason) { return reason != golden.reason; });
  std::string text;
  for (size_t i = 0; i < reasons.size() && i < style.failures; ++i)
    text += "  " + coloured("NOT SHOWN", Outcome::failed, style.colour) + " " +
            wrapped(plain(reasons[i]), style.width, 12) + "\n";
  if (reasons.size() > style.failures)
    text += fmt::format("  ... and {} more reasons; --json lists all of them\n", reasons.size() - style.failures);
  return text;
}

int64_t deviating(const GoldenReport& golden) {
  std::set<std::string> taps;
  for (const Record& record : golden.records) {
    if (record.deviation) taps.insert(record.tap);
  }
  return static_cast<int64_t>(taps.size());
}

/// Returns the number of taps that the golden records and the capture declares as not computed.
int64_t not_computed(const GoldenReport& golden) {
  if (!golden.capture || golden.capture->not_computed.empty()) return 0;
  int64_t left = -golden.taps.unselected;
  for (const compare::Coverage& component : golden.coverage) left += component.of - component.judged;
  return std::max<int64_t>(left, 0);
}

}  // namespace

bool is_answered(const GoldenReport& golden) {
  return compare::is_green(golden.verdict) && golden.taps.judged > 0 && golden.reason.empty() &&
         golden.not_shown.empty() && std::none_of(golden.records.begin(), golden.records.end(), fails);
}

std::string green_line(const GoldenReport& golden, const TerminalStyle& style) {
  const int64_t rounding = deviating(golden);
  std::string text = "holds  " + name_of(golden) + "  " + judged_taps(golden);
  if (!golden.candidate.empty() && golden.candidate != "golden") text += ", candidate " + plain(golden.candidate);
  if (rounding > 0) text += fmt::format(", {} round differently", rounding);
  if (const int64_t left = not_computed(golden); left > 0) text += fmt::format(", {} not computed", left);
  if (golden.taps.unknown > 0) text += fmt::format(", {} unknown", golden.taps.unknown);
  if (const std::string known = assumed_release(golden.system, golden.profile); !known.empty())
    text += fmt::format(", {} judged by the rules of {}", plain(golden.profile), known);
  const std::string lines = wrapped(text, style.width, 7, 0);  // after "holds  "
  return coloured("holds", Outcome::passed, style.colour) + lines.substr(std::string_view("holds").size());
}

std::string answer_text(const GoldenReport& golden, const TerminalStyle& style) {
  const std::string word = word_of(golden);
  const Outcome outcome = outcome_of(golden.verdict, golden.reason);
  std::string text = coloured(word, outcome, style.colour) + "  " + name_of(golden);
  if (!golden.candidate.empty()) text += ", candidate " + plain(golden.candidate);
  Lines lines(style.width);
  lines.add("why", golden.reason.empty() && golden.taps.judged == 0 ? "nothing was judged" : plain(golden.reason));
  add_first(golden, lines);
  add_causes(golden, lines);
  if (const std::string known = assumed_release(golden.system, golden.profile); !known.empty())
    lines.add("note", fmt::format("release {} is not known and may compute something else: judged by the rules of {}",
                                  plain(golden.profile), known));
  if (const Record* first = first_wrong(golden); first != nullptr) lines.command("repro", plain(first->repro));
  add_others(golden, lines);
  return text + '\n' + lines.text() + not_shown_lines(golden, style);
}

}  // namespace parity::reports

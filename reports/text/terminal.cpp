// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/terminal.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/text/answer.hpp"
#include "reports/text/colour.hpp"
#include "reports/text/format.hpp"
#include "reports/text/record_text.hpp"
#include "reports/text/summary.hpp"
#include "reports/text/table.hpp"
#include "reports/text/wrap.hpp"

namespace parity::reports {
namespace {

using compare::GoldenReport;
using compare::Record;
using compare::RunReport;
using compare::Status;

std::string head(const GoldenReport& golden, const TerminalStyle& style) {
  std::string text = name_of(golden);
  if (!golden.oracle.empty()) {  // empty if the golden could not be opened
    text += fmt::format(": oracle {}, profile {}, {}, candidate {}", plain(golden.oracle), plain(golden.profile),
                        usual_dtype(golden), plain(golden.candidate));
  }
  text = wrapped(text, style.width, 2, 0) + "\n";
  if (golden.records.empty()) return text;
  const compare::TapCounts& t = golden.taps;
  std::vector<std::string> counts;
  const auto add = [&](int64_t number, const char* what) {
    if (number > 0) counts.push_back(fmt::format("{} {}", number, what));
  };
  add(t.judged, "judged");
  add(t.unselected, "not selected");
  add(t.unjudged, "not judged");
  add(t.input, "input");
  add(t.alias, "alias");
  add(t.parameter, "parameter");
  add(t.yardstick, "of exact/");
  add(t.spanned, "inside spans");
  add(t.not_recorded, "not recorded");
  add(t.unknown, "unknown");
  return text + wrapped(fmt::format("  taps: {}", fmt::join(counts, ", ")), style.width, 4, 0) + "\n";
}

std::string component_table(const GoldenReport& golden, const TerminalStyle& style) {
  Tallies tallies;
  for (const Record& record : golden.records) tallies.at({plain(record.component), to_string(record.mode)}).add(record);
  Table table({"component", "mode", "judged", "pass", "fail", "mistrusted", "other", "of the limit", "relative error",
               "bit-equal", "flips"},
              2);
  table.spare({"pass", "other", "flips", "relative error"});
  int64_t others = 0;
  std::set<std::string> without;
  for (const auto& [key, of] : tallies.rows()) {
    if (of.judged == 0) {
      others += of.other;
      without.insert(key[0]);
      continue;
    }
    table.add({key[0], key[1], count(of.judged), count(of.passed), count(of.failed), count(of.mistrusted),
               count(of.other), of_limit(of.worst_budget), number(of.worst_relative_error), share(of.bit_equal),
               count(of.flips)});
  }
  std::string text = table.empty() ? "" : table.text("  ", style.width);
  if (others > 0)
    text +=
        wrapped(fmt::format("  not judged: {} component{}, {} record{} (--taps says why): {}", without.size(),
                            without.size() == 1 ? "" : "s", others, others == 1 ? "" : "s", fmt::join(without, ", ")),
                style.width, 4, 0) +
        "\n";
  return text;
}

/// Returns one line per tap of logits, in the mode that judges the whole chain.
std::string logits_lines(const GoldenReport& golden, const TerminalStyle& style) {
  std::string text;
  for (const Record& record : golden.records) {
    if (!record.logits || record.mode == compare::Mode::isolated) continue;
    const compare::Logits& of = *record.logits;
    const std::string margin =
        of.flip_margin > 0.0 ? ", largest margin of a flip " + number(of.flip_margin) : std::string();
    text +=
        wrapped(fmt::format(
                    "  {} ({}): the most likely token agrees at {} of {} positions; KL divergence mean {}, max {}{}",
                    plain(record.tap), to_string(record.mode), of.top1_agree, of.tokens, number(of.kl_mean),
                    number(of.kl_max), margin),
                style.width, 4, 0) +
        "\n";
  }
  return text;
}

}  // namespace

std::string failing_block(const Record& record, const TerminalStyle& style, bool inherited) {
  constexpr size_t kDetail = 11;
  const std::string line = wrapped(failing_head(record), style.width, kDetail, 0);
  const size_t tag = line.find(' ');
  std::string text = coloured(line.substr(0, tag), outcome_of(record), style.colour) + line.substr(tag) + "\n";
  for (const Detail& detail : failing_details(record, inherited)) {
    const bool command = detail.label == "repro";
    text += fmt::format(
        "     {:<5} {}\n", detail.label,
        command ? wrapped_command(detail.text, style.width, kDetail) : wrapped(detail.text, style.width, kDetail));
  }
  return text;
}

namespace {

/// Returns all records that are not green, in plan order, the first few with details.
std::string failing_lines(const GoldenReport& golden, const TerminalStyle& style) {
  const Inherited inherited(golden);
  std::string text;
  size_t found = 0;
  for (const Record& record : golden.records) {
    const Outcome outcome = outcome_of(record);
    if (outcome != Outcome::failed && outcome != Outcome::error) continue;
    if (++found > style.failures) continue;
    text += failing_block(record, style, inherited.contains(record));
  }
  if (found > style.failures)
    text += fmt::format("... and {} more; --taps lists all of them\n", found - style.failures);
  return text;
}

/// Returns the declarations of a capture.
std::string capture_lines(const GoldenReport& golden, const TerminalStyle& style) {
  if (!golden.capture) return {};
  constexpr size_t shown = 5;
  std::string text;
  const auto add = [&](const std::string& line) { text += wrapped(line, style.width, 4, 0) + "\n"; };
  for (const std::string& line : golden.capture->not_computed) add("  not computed: " + plain(line));
  for (const std::string& line : golden.capture->stated) add("  states: " + plain(line));
  const auto& weights = golden.capture->weights;
  for (size_t i = 0; i < weights.size() && i < shown; ++i)
    add(fmt::format("  own weight {}: differs by {} (rms) from the published one, at most by {}",
                    plain(weights[i].name), percent(weights[i].relative_rms), number(weights[i].largest)));
  if (weights.size() > shown) text += fmt::format("  ... and {} more own weights\n", weights.size() - shown);
  return text;
}

std::string remarks(const GoldenReport& golden, const TerminalStyle& style) {
  constexpr size_t shown = 5;
  std::string text;
  const bool listed = golden.capture.has_value();  // each is listed with the nearest name
  for (size_t i = 0; i < golden.unknown_taps.size() && i < shown && !listed; ++i) {
    text += "  unknown tap: " + plain(golden.unknown_taps[i]) + "\n";
  }
  if (golden.unknown_taps.size() > shown && !listed)
    text += fmt::format("  ... and {} more unknown taps\n", golden.unknown_taps.size() - shown);
  for (const std::string& note : golden.notes) text += wrapped("  note: " + plain(note), style.width, 4, 0) + "\n";
  return text;
}

/// Returns the closing line, split in two if it is too long. Taps are never cut, and a long reason comes last.
std::string fitting(const RunReport& report, size_t width) {
  std::string line = closing_line(report);
  for (const GoldenReport& golden : report.goldens) {  // a golden's reason is printed above
    const std::string reason = ": " + plain(golden.reason);
    if (!golden.reason.empty() && line.ends_with(name_of(golden) + reason)) line.resize(line.size() - reason.size());
  }
  constexpr size_t kLines = 2, kHangs = 2;
  std::string text = wrapped(line, width, kHangs, 0);
  size_t end = 0;
  for (size_t i = 0; i < kLines && end != std::string::npos; ++i) end = text.find('\n', end == 0 ? 0 : end + 1);
  if (end == std::string::npos) return text;
  const size_t last = text.rfind('\n', end - 1) + 1;  // start of the last kept line
  return text.substr(0, last) + shortened(text.substr(last, end - last) + " …", width);
}

/// Returns the further output that the style asks for on one golden.
std::string details(const GoldenReport& golden, const TerminalStyle& style) {
  const Table deviations = deviation_table(golden);
  const std::string rounding = deviations.empty() ? "" : deviations.text("  ", style.width);
  const bool differs = golden.answer == compare::Answer::rounds_differently && !compare::is_green(golden.verdict);
  if (style.verbose && !golden.records.empty())
    return "\n" + head(golden, style) + component_table(golden, style) + rounding + logits_lines(golden, style) +
           failing_lines(golden, style) + capture_lines(golden, style) + remarks(golden, style);
  const std::string text = (differs ? rounding : "") + (style.notes ? remarks(golden, style) : "");
  return text.empty() ? "" : name_of(golden) + "\n" + text;
}

}  // namespace

std::string terminal_text(const RunReport& report, const TerminalStyle& style) {
  std::string wrong, right, more;
  for (const GoldenReport& golden : report.goldens) {
    if (is_answered(golden)) {
      right += green_line(golden, style) + "\n";
    } else {
      wrong += answer_text(golden, style);
    }
    more += details(golden, style);
  }
  std::string text = wrong + right;
  if (style.taps) text += "\n" + tap_table(report, style.width);
  if (style.bit_equal) text += "\n" + bit_equal_table(report, style.width);
  text += more;
  const bool failing = std::any_of(report.goldens.begin(), report.goldens.end(),
                                   [](const GoldenReport& golden) { return golden.first_divergence.has_value(); });
  if (failing && !style.verbose) text += "  (-v lists every failing tap, and what was judged)\n";
  const Outcome outcome = parity_holds(report) ? Outcome::passed : Outcome::failed;
  return text + style.proposals + coloured(fitting(report, style.width), outcome, style.colour) + "\n";
}

Table deviation_table(const GoldenReport& golden) {
  struct Row {
    int64_t taps = 0;
    double least = std::numeric_limits<double>::infinity(), most = 0.0;
  };
  std::map<std::array<std::string, 2>, Row> rows;  // key: component and deviation
  for (const Record& record : golden.records) {
    if (!record.deviation) continue;
    Row& row = rows[{plain(record.component), plain(record.deviation->text)}];
    ++row.taps;
    row.least = std::min(row.least, record.deviation->cost);
    row.most = std::max(row.most, record.deviation->cost);
  }
  Table table({"rounds differently", "how", "taps", "error / oracle's"}, 2);
  table.tall("how");
  for (const auto& [key, row] : rows)
    table.add({key[0], key[1], count(row.taps), fmt::format("{} to {}", number(row.least, 2), number(row.most, 2))});
  return table;
}

std::string bit_equal_table(const RunReport& report, size_t width) {
  Tallies tallies;
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) {
      if (record.bit_equal.total == 0) continue;
      tallies.at({plain(pooled_tap(record.tap)), to_string(record.mode), to_string(record.dtype)}).add(record);
    }
  }
  Table table({"tap", "mode", "dtype", "taps", "elements", "unequal", "near ties", "largest ulp", "bit-equal"}, 3);
  table.spare({"near ties", "taps", "elements", "dtype"});
  table.tall("tap");
  for (const auto& [key, of] : tallies.rows()) {
    const compare::BitEqual& bits = of.bit_equal;
    table.add({key[0], key[1], key[2], count(of.judged), count(bits.total), count(bits.total - bits.equal),
               count(bits.near_ties), number(bits.max_ulp), share(bits)});
  }
  return table.empty() ? "no elements were compared bit by bit\n" : table.text("", width);
}

std::string tap_table(const RunReport& report, size_t width) {
  Table table({"status", "golden", "tap", "component", "mode", "dtype", "elements", "failed", "of the limit",
               "relative error", "inherited", "bit-equal"},
              6);
  table.spare({"inherited", "dtype", "relative error", "elements", "bit-equal", "component"});
  table.tall("tap");
  const bool several = report.goldens.size() > 1;
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) {
      const bool judged = is_judged(record.status);
      table.add({to_string(record.status), several ? plain(golden.name) : "", plain(record.tap),
                 plain(record.component), to_string(record.mode), to_string(record.dtype), count(record.elements),
                 count(record.failed), judged ? of_limit(record.budget_used) : "-",
                 judged ? number(record.relative_error) : "-", judged ? number(record.inherited) : "-",
                 share(record.bit_equal)});
    }
  }
  return table.empty() ? "no taps were judged\n" : table.text("", width);
}

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/terminal.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/format.hpp"
#include "reports/record_text.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"

namespace parity::reports {
namespace {

using compare::GoldenReport;
using compare::Record;
using compare::RunReport;
using compare::Status;

std::string coloured(const std::string& text, Outcome outcome, const TerminalStyle& style) {
  if (!style.colour) return text;
  const char* colour = outcome == Outcome::passed ? "32" : outcome == Outcome::skipped ? "33" : "31";
  return fmt::format("\033[1;{}m{}\033[0m", colour, text);
}

/// Counts that are usually nothing are only said when they are something.
std::string some(int64_t number, const char* what) { return number == 0 ? "" : fmt::format("{} {}", number, what); }

std::string head(const GoldenReport& golden, const TerminalStyle& style) {
  std::string text = plain(golden.name.empty() ? golden.path : golden.name);
  if (!golden.oracle.empty()) {  // else it could not even be opened
    text += fmt::format("  oracle {}, profile {}, {}, candidate {}", plain(golden.oracle), plain(golden.profile),
                        usual_dtype(golden), plain(golden.candidate));
  }
  text += ": " + coloured(to_string(golden.verdict), outcome_of(golden.verdict, golden.reason), style) + "\n";
  if (!golden.records.empty()) {
    const compare::TapCounts& t = golden.taps;
    text += fmt::format(
        "  taps: {} judged, {}{}{} input, {} alias, {} parameter, {} yardstick, {} spanned, {} not recorded, {} "
        "unknown\n",
        t.judged, some(t.unselected, "not selected, "), some(t.unjudged, "not judged, "), t.input, t.alias, t.parameter,
        t.yardstick, t.spanned, t.not_recorded, t.unknown);
  }
  if (!golden.reason.empty()) text += "  why: " + plain(golden.reason) + "\n";
  const char* first = golden.answer == compare::Answer::rounds_differently ? "difference" : "divergence";
  if (golden.first_divergence)
    text += fmt::format("  first {}: ", first) + divergence_text(golden.first_divergence) + "\n";
  const std::string values = golden.first_divergence ? values_text(golden.first_divergence->values) : "";
  if (!values.empty()) text += "  values  " + values + "\n";
  for (const compare::Cause& cause : golden.causes) text += "  cause  " + cause_text(cause) + "\n";
  return text;
}

std::string component_table(const GoldenReport& golden) {
  Tallies tallies;
  for (const Record& record : golden.records) tallies.at({plain(record.component), to_string(record.mode)}).add(record);
  Table table({"component", "mode", "judged", "pass", "fail", "mistrusted", "other", "worst budget", "relative error",
               "bit-equal", "flips"},
              2);
  int64_t others = 0;
  std::set<std::string> without;
  for (const auto& [key, of] : tallies.rows()) {
    if (of.judged == 0) {
      others += of.other;
      without.insert(key[0]);
      continue;
    }
    table.add({key[0], key[1], count(of.judged), count(of.passed), count(of.failed), count(of.mistrusted),
               count(of.other), percent(of.worst_budget), number(of.worst_relative_error), share(of.bit_equal),
               count(of.flips)});
  }
  std::string text = table.empty() ? "" : table.text("  ");
  if (others > 0)
    text += fmt::format("  nothing judged of {} component{}, {} record{} (--taps says why): {}\n", without.size(),
                        without.size() == 1 ? "" : "s", others, others == 1 ? "" : "s", fmt::join(without, ", "));
  return text;
}

/// What is right and rounds differently, calls and layers together: how, and how far from the exact value.
std::string deviation_table(const GoldenReport& golden) {
  struct Row {
    int64_t taps = 0;
    double least = std::numeric_limits<double>::infinity(), most = 0.0;
  };
  std::map<std::array<std::string, 2>, Row> rows;  // by component and way
  for (const Record& record : golden.records) {
    if (!record.deviation) continue;
    Row& row = rows[{plain(record.component), plain(record.deviation->text)}];
    ++row.taps;
    row.least = std::min(row.least, record.deviation->cost);
    row.most = std::max(row.most, record.deviation->cost);
  }
  if (rows.empty()) return {};
  Table table({"rounds differently", "how", "taps", "error / oracle's"}, 2);
  for (const auto& [key, row] : rows)
    table.add({key[0], key[1], count(row.taps), fmt::format("{} to {}", number(row.least, 2), number(row.most, 2))});
  return table.text("  ");
}

/// One line per tap of logits, in the mode that judges the whole chain.
std::string logits_lines(const GoldenReport& golden) {
  std::string text;
  for (const Record& record : golden.records) {
    if (!record.logits || record.mode == compare::Mode::isolated) continue;
    const compare::Logits& of = *record.logits;
    text += fmt::format("  {} ({}): {} of {} most likely words agree, KL mean {} max {}", plain(record.tap),
                        to_string(record.mode), of.top1_agree, of.tokens, number(of.kl_mean), number(of.kl_max));
    text += of.flip_margin > 0.0 ? fmt::format(", largest margin of a flip {}\n", number(of.flip_margin)) : "\n";
  }
  return text;
}

/// Everything with this status that is not green, the first few in full.
std::string failing_lines(const GoldenReport& golden, Status status, const TerminalStyle& style) {
  std::string text;
  size_t found = 0;
  for (const Record& record : golden.records) {
    const Outcome outcome = outcome_of(record);
    if (record.status != status || (outcome != Outcome::failed && outcome != Outcome::error)) continue;
    if (++found > style.failures) continue;
    const std::string lines = failing_text(record);
    const size_t tag = lines.find(' ');
    text += coloured(lines.substr(0, tag), outcome, style) + lines.substr(tag) + "\n";
  }
  if (found > style.failures)
    text += fmt::format("... and {} more with status {}; --taps lists all of them\n", found - style.failures,
                        to_string(status));
  return text;
}

/// Why nothing green is said, a red line each.
std::string not_shown_lines(const GoldenReport& golden, const TerminalStyle& style) {
  std::string text;
  for (size_t i = 0; i < golden.not_shown.size() && i < style.failures; ++i)
    text += coloured("NOT SHOWN", Outcome::failed, style) + " " + plain(golden.not_shown[i]) + "\n";
  if (golden.not_shown.size() > style.failures)
    text +=
        fmt::format("... and {} more reasons; --json lists all of them\n", golden.not_shown.size() - style.failures);
  return text;
}

/// What a capture says of itself.
std::string capture_lines(const GoldenReport& golden) {
  if (!golden.capture) return {};
  constexpr size_t shown = 5;
  std::string text;
  for (const std::string& line : golden.capture->not_computed) text += "  not computed: " + plain(line) + "\n";
  for (const std::string& line : golden.capture->stated) text += "  states: " + plain(line) + "\n";
  const auto& weights = golden.capture->weights;
  for (size_t i = 0; i < weights.size() && i < shown; ++i)
    text += fmt::format("  own weight {}: differs by {} (rms) of the published one, at most by {}\n",
                        plain(weights[i].name), percent(weights[i].relative_rms), number(weights[i].largest));
  if (weights.size() > shown) text += fmt::format("  ... and {} more own weights\n", weights.size() - shown);
  return text;
}

std::string remarks(const GoldenReport& golden) {
  constexpr size_t shown = 5;
  std::string text;
  const bool listed = golden.capture.has_value();  // each with the nearest name
  for (size_t i = 0; i < golden.unknown_taps.size() && i < shown && !listed; ++i) {
    text += "  unknown tap: " + plain(golden.unknown_taps[i]) + "\n";
  }
  if (golden.unknown_taps.size() > shown && !listed)
    text += fmt::format("  ... and {} more unknown taps\n", golden.unknown_taps.size() - shown);
  for (const std::string& note : golden.notes) text += "  note: " + plain(note) + "\n";
  return text;
}

}  // namespace

std::string terminal_text(const RunReport& report, const TerminalStyle& style) {
  constexpr std::array order = {Status::error, Status::fail, Status::mistrusted, Status::unimplemented,
                                Status::skipped};
  std::string text;
  for (const GoldenReport& golden : report.goldens) {
    text += head(golden, style) + component_table(golden) + deviation_table(golden) + logits_lines(golden);
    for (const Status status : order) text += failing_lines(golden, status, style);
    text += not_shown_lines(golden, style) + capture_lines(golden) + remarks(golden) + "\n";
  }
  const Outcome outcome = parity_holds(report) ? Outcome::passed : Outcome::failed;
  return text + coloured(closing_line(report), outcome, style) + "\n";
}

std::string bit_equal_table(const RunReport& report) {
  Tallies tallies;
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) {
      if (record.bit_equal.total == 0) continue;
      tallies.at({plain(pooled_tap(record.tap)), to_string(record.mode), to_string(record.dtype)}).add(record);
    }
  }
  Table table({"tap", "mode", "dtype", "taps", "elements", "unequal", "near ties", "largest ulp", "bit-equal"}, 3);
  for (const auto& [key, of] : tallies.rows()) {
    const compare::BitEqual& bits = of.bit_equal;
    table.add({key[0], key[1], key[2], count(of.judged), count(bits.total), count(bits.total - bits.equal),
               count(bits.near_ties), number(bits.max_ulp), share(bits)});
  }
  return table.empty() ? "no elements were compared bit by bit\n" : table.text();
}

std::string tap_table(const RunReport& report) {
  Table table({"status", "golden", "tap", "component", "mode", "dtype", "elements", "failed", "budget",
               "relative error", "inherited", "bit-equal"},
              6);
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) {
      const bool judged = is_judged(record.status);
      table.add({to_string(record.status), plain(golden.name), plain(record.tap), plain(record.component),
                 to_string(record.mode), to_string(record.dtype), count(record.elements), count(record.failed),
                 judged ? percent(record.budget_used) : "-", judged ? number(record.relative_error) : "-",
                 judged ? number(record.inherited) : "-", share(record.bit_equal)});
    }
  }
  return table.empty() ? "no taps were judged\n" : table.text();
}

}  // namespace parity::reports

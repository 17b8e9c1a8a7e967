// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/markdown.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "reports/text/format.hpp"
#include "reports/text/record_text.hpp"
#include "reports/text/summary.hpp"
#include "reports/text/table.hpp"
#include "reports/text/terminal.hpp"

namespace parity::reports {
namespace {

using compare::GoldenReport;
using compare::Mode;
using compare::Record;
using compare::RunReport;
using compare::Status;

using Blocks = std::vector<std::string>;  // each is valid Markdown after the previous ones

constexpr size_t kShownFailures = 10;

/// Returns a name as inline code, so that nothing in it is read as Markdown, HTML or a mention, also in tables.
std::string code(const std::string& text) {
  std::string result = "`";
  for (const char c : plain(text)) {
    if (c == '|') result += '\\';
    result += c == '`' ? '\'' : c;
  }
  return text.empty() ? "-" : result + "`";
}

/// Puts `text` in a code block. No line may begin with a fence; those of `failing_text` begin with status or spaces.
std::string fenced(const std::string& text) { return "```text\n" + text + "\n```\n"; }

std::string cut(const std::string& text, size_t longest) {
  const std::string whole = plain(text);
  return whole.size() <= longest ? whole : plain(whole.substr(0, longest)) + " …";
}

/// Counts the isolated records, or all others: forced replay replaces chained replay for types in which choices flip.
Tally tally(const GoldenReport& golden, bool isolated) {
  Tally result;
  for (const Record& record : golden.records) {
    if ((record.mode == Mode::isolated) == isolated) result.add(record);
  }
  return result;
}

void append(Blocks& blocks, const std::string& title, const Table& table) {
  if (table.empty()) return;
  const std::vector<std::string> lines = table.markdown();
  blocks.push_back("\n" + title + "\n\n" + lines.front());
  blocks.insert(blocks.end(), lines.begin() + 1, lines.end());
}

Table golden_table(const RunReport& report) {
  Table table({"golden", "oracle", "verdict", "first divergence", "judged", "unknown", "isolated error",
               "chained error", "flips"},
              4);
  for (const GoldenReport& golden : report.goldens) {
    const Tally isolated = tally(golden, true);
    const Tally chained = tally(golden, false);
    const auto error = [](const Tally& of) { return of.judged == 0 ? "-" : number(of.worst_relative_error); };
    const std::string verdict =
        std::string(to_string(golden.verdict)) + (golden.reason.empty() ? "" : ": " + code(golden.reason));
    const auto& first = golden.first_divergence;
    const std::string values = first ? values_text(first->values) : "";
    const std::string ranks = golden.ranks ? ", " + code(golden.ranks->text) : "";
    table.add({code(name_of(golden)), code(golden.oracle), verdict,
               first ? code(divergence_text(first)) + (values.empty() ? "" : ", values " + code(values)) + ranks : "-",
               std::to_string(golden.taps.judged), count(golden.taps.unknown), error(isolated), error(chained),
               count(isolated.flips)});
  }
  return table;
}

Table component_table(const RunReport& report) {
  Tallies tallies;
  for (const GoldenReport& golden : report.goldens) {
    for (const Record& record : golden.records) tallies.at({record.component}).add(record);
  }
  Table table({"component", "judged", "failed", "mistrusted", "not judged", "of the limit", "bit-equal"}, 1);
  for (const auto& [key, of] : tallies.rows()) {
    table.add({code(key.front()), std::to_string(of.judged), count(of.failed), count(of.mistrusted), count(of.other),
               of.judged == 0 ? "-" : of_limit(of.worst_budget), share(of.bit_equal)});
  }
  return table;
}

/// For candidates that are files: the judged taps of each component, and why the golden cannot pass.
Blocks capture_blocks(const RunReport& report) {
  Blocks blocks;
  for (const GoldenReport& golden : report.goldens) {
    if (!golden.capture) continue;
    Table table({"component", "judged", "recorded by the golden"}, 1);
    for (const compare::Coverage& of : golden.coverage)
      table.add({code(of.component), std::to_string(of.judged), std::to_string(of.of)});
    append(blocks, "### Coverage of " + code(name_of(golden)), table);
    const auto list = [&](const std::string& text) { blocks.push_back("\n- " + text + "\n"); };
    for (const std::string& reason : golden.not_shown) list("not shown: " + code(reason));
    for (const std::string& line : golden.capture->not_computed) list("not computed: " + code(line));
    for (const std::string& line : golden.capture->stated) list("states: " + code(line));
    for (const compare::WeightDifference& weight : golden.capture->weights)
      list(fmt::format("own weight {}: differs by {} (rms) from the published one, at most by {}", code(weight.name),
                       number(weight.relative_rms), number(weight.largest)));
  }
  return blocks;
}

/// Returns the table of correct records with other roundings, as on the terminal.
Blocks deviation_blocks(const RunReport& report) {
  Blocks blocks;
  for (const GoldenReport& golden : report.goldens)
    append(blocks, "### What rounds differently in " + code(name_of(golden)), deviation_table(golden));
  return blocks;
}

/// Returns the text of every failure, in plan order.
std::vector<std::string> failures(const RunReport& report) {
  std::vector<std::string> result;
  for (const GoldenReport& golden : report.goldens) {
    const Inherited inherited(golden);
    for (const Record& record : golden.records) {
      const Outcome outcome = outcome_of(record);
      if (outcome == Outcome::failed || outcome == Outcome::error)
        result.push_back(failing_text(record, inherited.contains(record)));
    }
  }
  return result;
}

/// Returns one line for each cause of failing taps.
Blocks cause_blocks(const RunReport& report) {
  Blocks blocks;
  for (const GoldenReport& golden : report.goldens) {
    for (const compare::Cause& cause : golden.causes) {
      const std::string title = blocks.empty() ? "\n### Causes\n\n" : "";
      blocks.push_back(title + fmt::format("- {}\n", code(cause_text(cause))));
    }
  }
  return blocks;
}

Blocks body(const RunReport& report) {
  Blocks blocks;
  append(blocks, "### Goldens", golden_table(report));
  append(blocks, "### Components", component_table(report));
  for (const Blocks& more : {deviation_blocks(report), capture_blocks(report), cause_blocks(report)})
    blocks.insert(blocks.end(), more.begin(), more.end());
  const std::vector<std::string> failing = failures(report);
  const size_t shown = std::min(failing.size(), kShownFailures);
  for (size_t i = 0; i < shown; ++i) {
    const std::string title = i > 0 ? "" : fmt::format("\n### Failures: the first {} of {}\n\n", shown, failing.size());
    blocks.push_back(title + fenced(failing[i]));
  }
  return blocks;
}

/// Returns the footer, which is always present, and so has its longest texts cut.
std::string footer(const RunReport& report) {
  const Environment& e = report.environment;
  const std::string environment = fmt::format("parity {} {}, {}; {}; {}, {} threads; {}", e.version, e.build_type,
                                              e.compiler, e.os, e.cpu, e.threads, e.when);
  return fmt::format("\n{}, {} s, peak {} MiB\n\n{}", code(cut(environment, 500)), number(report.seconds),
                     report.peak_rss_bytes >> 20, fenced("$ " + cut(report.command, 1000)));
}

}  // namespace

std::string markdown(const RunReport& report, size_t longest) {
  PARITY_CHECK(longest >= 4096, internal, "a comment of {} bytes is too small for the summary", longest);
  const std::string end = footer(report);
  const char* sign = parity_holds(report) ? "✅" : "❌";
  std::string text = fmt::format("## {} {}\n", sign, code(cut(closing_line(report), 400)));
  constexpr size_t note_bytes = 120;
  const Blocks blocks = body(report);
  size_t done = 0;
  while (done < blocks.size() && text.size() + blocks[done].size() + note_bytes + end.size() <= longest)
    text += blocks[done++];
  if (done < blocks.size()) {
    text += fmt::format("\n_The report is too long for a comment: see report.json for {} more rows and texts._\n",
                        blocks.size() - done);
  }
  return text + end;
}

}  // namespace parity::reports

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity diff`: compares two captures with each other; runs no kernel.
#include "compare/captures/diff.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/reports/document.hpp"
#include "cli/runs/one_layout.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "compare/captures/flow_order.hpp"
#include "golden/golden.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"
#include "reports/text/wrap.hpp"

namespace parity::cli {
namespace {

using compare::CaptureDiff;
using compare::TapDiff;
using reports::plain;

/// The taps that one line of the table summarises.
struct Section {
  std::string name;
  int64_t taps = 0;
  int64_t different = 0;
  const TapDiff* worst = nullptr;
};

/// Sort key for the worst tap: values that could not be compared first, then NaN, then the relative difference.
std::tuple<bool, bool, double> weight(const TapDiff& tap) {
  const double rows = tap.rows == 0 ? 0.0 : static_cast<double>(tap.unequal_rows) / static_cast<double>(tap.rows);
  return {!tap.problem.empty(), tap.not_finite > 0, tap.discrete ? rows : tap.relative()};
}

std::vector<Section> sections_of(const CaptureDiff& result, double rtol) {
  std::vector<Section> sections;
  for (const TapDiff& tap : result.taps) {
    const std::string name = compare::flow_section(tap.tap);
    auto section = std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.name == name; });
    if (section == sections.end()) section = sections.insert(sections.end(), Section{name});
    ++section->taps;
    if (tap.diverges(rtol)) ++section->different;
    if (section->worst == nullptr || weight(tap) > weight(*section->worst)) section->worst = &tap;
  }
  return sections;
}

/// The tap, and why its values could not be compared: in full, or in one word if the line is too narrow.
std::string worst_text(const TapDiff& tap) {
  constexpr size_t kName = 14;  // columns of the indent and of the section's name
  if (tap.problem.empty()) return plain(tap.tap);
  const std::string full = plain(tap.tap + ": " + tap.problem);
  return reports::columns(full) + kName <= terminal_width()
             ? full
             : plain(tap.tap + ": " + tap.problem.substr(0, tap.problem.find(' ')));
}

std::string table_text(const CaptureDiff& result, double rtol) {
  reports::Table table(
      {"where", "worst tap", "taps", "differ", "max |a-b|", "relative", "unequal", "rows", "NaN/Inf", "bit-equal"}, 2);
  for (const Section& section : sections_of(result, rtol)) {
    const TapDiff& tap = *section.worst;
    const bool same = tap.unequal == 0 && tap.problem.empty();
    const bool magnitudes = !same && !tap.discrete && tap.problem.empty();
    table.add({plain(section.name), same ? "-" : worst_text(tap), std::to_string(section.taps),
               reports::count(section.different), magnitudes ? reports::number(tap.largest_difference) : "-",
               magnitudes ? reports::number(tap.relative()) : "-", reports::count(tap.unequal),
               reports::count(tap.unequal_rows), reports::count(tap.not_finite),
               tap.problem.empty() ? reports::share({tap.elements - tap.unequal, tap.elements, 0}) : "-"});
  }
  table.spare({"rows", "unequal", "max |a-b|", "taps"});
  table.tall("worst tap");
  return table.empty() ? std::string{} : table.text("  ", terminal_width());
}

std::string detail_text(const TapDiff& tap, const std::string& axes) {
  if (!tap.problem.empty()) return plain(tap.problem);
  std::string text =
      fmt::format("{} of {} elements differ, in {} of {} rows", tap.unequal, tap.elements, tap.unequal_rows, tap.rows);
  if (!tap.discrete && tap.largest_difference > 0.0) {
    text += fmt::format("; max |a-b| {} ({} of the largest value)", reports::number(tap.largest_difference),
                        reports::number(tap.relative()));
  }
  if (tap.not_finite > 0) text += fmt::format("; {} are NaN or infinite in only one of the files", tap.not_finite);
  return text + fmt::format("; {} at {}", tap.discrete ? "first" : "worst", reports::index_text(axes, tap.where));
}

std::string divergence_text(const TapDiff& first, const golden::ActivationFile& left) {
  const std::string layer = first.layer < 0 ? "" : fmt::format(", layer {}", first.layer);
  const std::string detail = detail_text(first, left.at(first.tap).axes);
  return fmt::format("first divergence: {}{}{}\n  {}\n", plain(first.tap),
                     first.component.empty() ? "" : " (" + plain(first.component) + ")", layer,
                     reports::wrapped(detail, terminal_width(), 2));
}

std::string names_text(const char* title, const std::vector<std::string>& paths) {
  constexpr size_t kShown = 8;
  if (paths.empty()) return {};
  std::string text = fmt::format("{}: {}\n", title, paths.size());
  for (size_t i = 0; i < std::min(kShown, paths.size()); ++i) text += "  " + plain(paths[i]) + "\n";
  if (paths.size() > kShown) text += fmt::format("  … and {} more (--json lists all)\n", paths.size() - kShown);
  return text;
}

std::string facts_text(char side, const std::string& path, const OneLayout& of) {
  const golden::ActivationFile& file = of.file();
  std::string text = fmt::format("{}  {}", side, plain(path));
  if (!of.layout().empty()) text += fmt::format("  assembled from {}", plain(of.layout()));
  for (const char* name : {"oracle", "profile", "dtype", "attention", "seed", "patched", "planted"}) {
    const auto found = file.attributes().find(name);
    if (found != file.attributes().end()) text += fmt::format("  {} {}", name, plain(found->second));
  }
  return reports::wrapped(text, terminal_width(), 3, 0) + "\n";
}

nlohmann::ordered_json difference_json(const TapDiff& tap, double rtol) {
  nlohmann::ordered_json json{
      {"tap", tap.tap}, {"component", tap.component}, {"layer", tap.layer}, {"different", tap.diverges(rtol)}};
  if (!tap.problem.empty()) json["problem"] = tap.problem;
  json.update({{"discrete", tap.discrete},
               {"elements", tap.elements},
               {"unequal", tap.unequal},
               {"rows", tap.rows},
               {"unequal_rows", tap.unequal_rows},
               {"not_finite", tap.not_finite},
               {"largest_difference", reports::json_number(tap.largest_difference)},
               {"relative", reports::json_number(tap.relative())},
               {"where", tap.where}});
  return json;
}

/// Returns the document that docs/diff-json.md describes.
nlohmann::ordered_json json_of(const CaptureDiff& result, const DiffOptions& options,
                               const std::vector<std::string>& ranks) {
  const TapDiff* first = result.first_divergence(options.rtol);
  nlohmann::ordered_json json{{"left", options.left},
                              {"right", options.right},
                              {"select", options.select},
                              {"rtol", options.rtol},
                              {"equal", first == nullptr && ranks.empty()}};
  json["first_divergence"] = first == nullptr ? nlohmann::ordered_json(nullptr) : difference_json(*first, options.rtol);
  if (!ranks.empty()) json["ranks_disagree"] = ranks;
  json["only_left"] = result.only_left;
  json["only_right"] = result.only_right;
  json["taps"] = nlohmann::ordered_json::array();
  for (const TapDiff& tap : result.taps) json["taps"].push_back(difference_json(tap, options.rtol));
  return json;
}

std::string report_text(const CaptureDiff& result, const DiffOptions& options, const OneLayout& left,
                        const OneLayout& right) {
  const TapDiff* first = result.first_divergence(options.rtol);
  const auto different =
      std::count_if(result.taps.begin(), result.taps.end(), [&](const TapDiff& t) { return t.diverges(options.rtol); });
  std::string text = facts_text('A', options.left, left) + facts_text('B', options.right, right);
  text += first == nullptr ? "no divergence\n" : divergence_text(*first, left.file());
  text += names_text("taps on which ranks of A disagree", left.contradicting());
  text += names_text("taps on which ranks of B disagree", right.contradicting());
  text += table_text(result, options.rtol);
  text += fmt::format(
      "{} taps compared, {} differ{}\n", result.taps.size(), different,
      options.rtol > 0.0 ? fmt::format(" by more than {} of their largest value", reports::number(options.rtol)) : "");
  return text + names_text("only in A", result.only_left) + names_text("only in B", result.only_right);
}

}  // namespace

int diff(const DiffOptions& options) {
  PARITY_CHECK(options.rtol >= 0.0 && options.rtol < 1.0, usage, "--rtol {} is out of range; use 0 to 1", options.rtol);
  const OneLayout left(options.left, options.right), right(options.right, options.left);
  std::vector<std::string> ranks = left.contradicting();
  ranks.insert(ranks.end(), right.contradicting().begin(), right.contradicting().end());
  compare::DiffSettings settings;
  settings.select = options.select;
  ProgressBar bar(plain(options.left + " against " + options.right));
  settings.progress = [&](size_t done, size_t total, const std::string& tap) { bar.update(done, total, tap); };
  const CaptureDiff result = compare::diff_captures(left.file(), right.file(), settings);
  const bool equal = result.first_divergence(options.rtol) == nullptr && ranks.empty();
  const int code = result.taps.empty() ? nothing_ran : equal ? holds : broken;
  write_document(options.json, "diff", code, json_of(result, options, ranks));
  if (options.json != "-") fmt::print("{}", report_text(result, options, left, right));
  return code;
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/selftest.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cases/backends.hpp"
#include "cli/candidate.hpp"
#include "cli/document.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "core/environment.hpp"
#include "core/shipped.hpp"
#include "core/text.hpp"
#include "faults/studies/matrix.hpp"
#include "reports/files.hpp"
#include "reports/format.hpp"
#include "reports/table.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;
using faults::FaultRow;
using faults::Matrix;
using faults::Planting;

/// The embedded goldens, or those that were named.
std::vector<std::filesystem::path> goldens_of(const SelftestOptions& options) {
  if (!options.goldens.empty()) return {options.goldens.begin(), options.goldens.end()};
  constexpr const char* kEmbedded = "golden/data";
  PARITY_CHECK(std::filesystem::is_directory(shipped(kEmbedded)), not_found,
               "{}: no such folder; run in the repository root, or name goldens", kEmbedded);
  std::vector<std::filesystem::path> goldens;
  for (const char* folder : {kEmbedded, "golden/cut", "golden/processors"}) {
    if ((options.corruptions || options.value_corruptions) && folder != kEmbedded) continue;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(shipped(folder))) {
      if (std::filesystem::exists(entry.path() / "activations.h5")) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());  // the order decides what is drawn
    goldens.insert(goldens.end(), found.begin(), found.end());
  }
  return goldens;
}

const char* status_of(const Matrix& matrix, const FaultRow& row) {
  if (matrix.rounds_differently(row)) return "rounds differently";
  if (row.best() == nullptr) return "not planted";
  if (row.equivalent()) return row.killed() ? "not equivalent" : "equivalent";
  return row.killed() ? "killed" : "survived";
}

std::string signal_text(double signal) {
  return std::isinf(signal) ? "decision" : fmt::format("{}x", reports::number(signal, 2));
}

std::string table_of(const Matrix& matrix) {
  reports::Table table({"fault", "component", "status", "named", "distance", "best fixture", "fixtures", "signal"}, 4);
  for (const FaultRow& row : matrix.rows) {
    const Planting* best = row.best();
    if (best == nullptr) {
      table.add({row.fault->id, row.fault->component, status_of(matrix, row), "-", "-", "-", "-", "-"});
      continue;
    }
    const auto killed =
        std::count_if(row.plantings.begin(), row.plantings.end(), [](const auto& p) { return p.flagged(); });
    table.add({row.fault->id, row.fault->component, status_of(matrix, row),
               best->named_component.empty() ? "-" : best->named_component,
               best->distance ? fmt::format("{}", *best->distance) : "-",
               std::filesystem::path(best->fixture).filename().string(),
               fmt::format("{}/{}", killed, row.plantings.size()), signal_text(best->signal)});
  }
  return table.text("  ", terminal_width());
}

Json json_of(const Matrix& matrix, const FaultRow& row) {
  Json json{{"id", row.fault->id},
            {"title", row.fault->title},
            {"component", row.fault->component},
            {"shipped", !row.fault->seen.empty()},
            {"status", status_of(matrix, row)}};
  if (const Planting* best = row.best()) {
    json["fixture"] = best->fixture;
    json["named_tap"] = best->named;
    json["named_component"] = best->named_component;
    json["distance"] = best->distance ? Json(*best->distance) : Json();
    json["signal_over_threshold"] = reports::json_number(best->signal);
    json["effect"] = reports::json_number(best->effect);
    json["reason"] = best->reason;
  }
  json["fixtures"] = Json::array();
  for (const Planting& planting : row.plantings) {
    json["fixtures"].push_back({{"fixture", planting.fixture},
                                {"verdict", to_string(planting.verdict)},
                                {"changed_taps", planting.changed},
                                {"signal_over_threshold", reports::json_number(planting.signal)}});
  }
  return json;
}

struct Figure {
  const char* name;
  Matrix::Predicate predicate;
  double faults::Floors::*least;
};

constexpr Figure kFigures[] = {{"killed", &FaultRow::killed, &faults::Floors::killed},
                               {"component named", &FaultRow::component_named, &faults::Floors::named},
                               {"within one tap", &FaultRow::within_one_tap, &faults::Floors::within_one},
                               {"signal of at least 4 thresholds", &FaultRow::observable, &faults::Floors::observable}};

Json json_of(const Matrix& matrix) {
  Json document{{"summary",
                 {{"candidate", matrix.backend.empty() ? "reference" : matrix.backend},
                  {"faults", matrix.rows.size()},
                  {"counted", matrix.counted()},
                  {"shipped", std::count_if(matrix.rows.begin(), matrix.rows.end(),
                                            [](const auto& row) { return !row.fault->seen.empty(); })},
                  {"equivalent", matrix.equivalents()},
                  {"killed", matrix.count(&FaultRow::killed)},
                  {"kill_rate", matrix.share(&FaultRow::killed)},
                  {"named_exact", matrix.count(&FaultRow::component_named)},
                  {"named_rate", matrix.share(&FaultRow::component_named)},
                  {"within_one_tap_rate", matrix.share(&FaultRow::within_one_tap)},
                  {"observable_rate", matrix.share(&FaultRow::observable)},
                  {"fixtures", matrix.fixtures},
                  {"false_alarms", matrix.false_alarms.size()}}},
                {"false_alarms", matrix.false_alarms},
                {"faults", Json::array()}};
  for (const FaultRow& row : matrix.rows) document["faults"].push_back(json_of(matrix, row));
  document["not_held"] = Json::array();
  for (const faults::Fault* fault : matrix.not_held) document["not_held"].push_back(fault->id);
  return document;
}

/// What did not go as it should, each with what is needed to see it again.
void print_exceptions(const Matrix& matrix) {
  for (const FaultRow& row : matrix.rows) {
    const Planting* best = row.best();
    if (matrix.rounds_differently(row)) continue;
    const bool fine = row.component_named() && row.within_one_tap() && (row.observable() || !matrix.backend.empty());
    if (row.equivalent() ? !row.killed() : fine) {
      if (row.equivalent() && best != nullptr)
        fmt::print("EQUIVALENT {}  {}; largest effect {} of a threshold, {} of the tap\n", row.fault->id,
                   row.fault->equivalent, reports::number(best->signal, 2), reports::number(best->effect, 2));
      continue;
    }
    fmt::print("{} {}  {}\n", !row.killed() ? "SURVIVED" : fine ? "KILLED" : "WEAK", row.fault->id, row.fault->title);
    if (best == nullptr) {
      fmt::print("     no fixture has a place for it\n");
      continue;
    }
    for (const Planting& planting : row.plantings) {
      if (!planting.defect.empty()) fmt::print("     {}: {}\n", planting.fixture, reports::plain(planting.defect));
    }
    fmt::print("     {}: signal {}, named {}{}\n", best->fixture, signal_text(best->signal),
               best->named.empty() ? "nothing" : best->named,
               best->distance ? fmt::format(", {:+} judged taps away", *best->distance) : "");
  }
  for (const faults::Fault* fault : matrix.not_held)
    fmt::print("not planted: {} this component  {}  {}; parity battery --faults {} tries it\n",
               matrix.backend.empty() ? "no golden holds" : matrix.backend + " has no kernel of", fault->id,
               fault->component, fault->component);
  for (const std::string& alarm : matrix.false_alarms)
    fmt::print("FALSE ALARM without a fault, {}\n", reports::plain(alarm));
}

void print(const Matrix& matrix, bool explained) {
  fmt::print("{}", table_of(matrix));
  print_exceptions(matrix);
  const auto shipped =
      std::count_if(matrix.rows.begin(), matrix.rows.end(), [](const auto& row) { return !row.fault->seen.empty(); });
  const auto later = std::count_if(matrix.rows.begin(), matrix.rows.end(),
                                   [&](const auto& row) { return matrix.rounds_differently(row); });
  if (later > 0)
    fmt::print("      {} faults only spare or postpone roundings, or list ids in another order: not counted\n", later);
  fmt::print("{}  {} faults ({} of them shipped somewhere), {} equivalent, {} fixtures, {} false alarms\n",
             verdict_word(matrix.rows.empty() ? "NOT RUN"
                          : matrix.holds()    ? "PASS"
                                              : "FAIL"),
             matrix.rows.size(), shipped, matrix.equivalents(), matrix.fixtures, matrix.false_alarms.size());
  for (const Figure& figure : kFigures) {
    const double least = faults::floors_of(matrix.backend).*figure.least;
    fmt::print("      {:<32} {:>4} of {}  {:.1f}%{}\n", figure.name, matrix.count(figure.predicate), matrix.counted(),
               100.0 * matrix.share(figure.predicate),
               least > 0.0 ? fmt::format(", at least {:.0f}% is asked for", 100.0 * least) : "");
  }
  if (explained) {
    for (const FaultRow& row : matrix.rows) {
      if (row.killed() && !row.bug_named() && matrix.counts(row))
        fmt::print("      {} is explained by {}\n", row.fault->id,
                   row.explained_by.empty() ? "nothing" : row.explained_by);
    }
    fmt::print("      {:<32} {:>4} (planted and explained by the same edits: how well names are told apart)\n",
               "bug named", matrix.count(&FaultRow::bug_named));
  }
}

}  // namespace

int selftest_faults(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens) {
  const auto started = std::chrono::steady_clock::now();
  faults::MatrixOptions matrix_options;
  matrix_options.explained = options.explain;
  matrix_options.goldens = goldens;
  matrix_options.select = options.faults;
  matrix_options.backend = options.candidate;
  matrix_options.every_fixture = options.every_fixture;
  ProgressBar bar("faults", options.quiet);
  matrix_options.progress = [&](size_t done, size_t total) { bar.update(done, total, ""); };
  const Matrix matrix = faults::run_matrix(matrix_options);
  bar.pause();
  PARITY_CHECK(!matrix.rows.empty() || !matrix.not_held.empty(), usage, "no fault matches '{}'; see parity list faults",
               options.faults);
  write_document(options.json, "selftest",
                 matrix.rows.empty() ? nothing_ran
                 : matrix.holds()    ? holds
                                     : broken,
                 json_of(matrix));
  if (options.json != "-") {
    print(matrix, options.explain);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
    fmt::print("      {:.0f} s, peak resident {:.0f} MiB\n", taken.count(),
               static_cast<double>(peak_resident_bytes()) / 0x1p20);
  }
  if (matrix.rows.empty()) return nothing_ran;
  return matrix.holds() ? holds : broken;
}

int selftest(const SelftestOptions& options) {
  PARITY_CHECK(!options.corruptions || *options.corruptions > 0, usage,
               "{} corruptions cannot be made; ask for at least 1", options.corruptions.value_or(0));
  if (!options.candidate.empty() && !cases::has_kernels(options.candidate)) {
    refuse_absent("--candidate", options.candidate, fmt::format("{}, cpu:fused", fmt::join(cases::backends(), ", ")));
    throw Error(
        ErrorCode::usage,
        fmt::format("--candidate '{}' has no kernels to plant faults around{}; use {} or cpu:fused", options.candidate,
                    did_you_mean(options.candidate, cases::backends()), fmt::join(cases::backends(), ", ")));
  }
  PARITY_CHECK(!options.value_corruptions || *options.value_corruptions > 0, usage,
               "{} corruptions cannot be made; ask for at least 1", options.value_corruptions.value_or(0));
  PARITY_CHECK(options.components.empty() || options.guards, usage, "--components chooses among kernels; use --guards");
  if (options.guards) return selftest_guards(options);
  if (!options.engines.empty()) return selftest_engines(options);
  PARITY_CHECK(!options.false_alarms || *options.false_alarms > 0, usage,
               "{} correct runs prove nothing; ask for at least 1", options.false_alarms.value_or(0));
  PARITY_CHECK(!options.false_alarms || !options.corruptions, usage,
               "--false-alarms and --corruptions are two studies; ask for one at a time");
  if (options.false_alarms) return selftest_false_alarms(options);
  const auto goldens = goldens_of(options);
  PARITY_CHECK(!options.damaged_captures || *options.damaged_captures > 0, usage,
               "{} captures cannot be damaged; ask for at least 1", options.damaged_captures.value_or(0));
  if (options.damaged_captures) return selftest_damaged_captures(options, goldens);
  if (options.leave_one_out) return selftest_leave_one_out(options, goldens);
  if (options.judges) return selftest_judges(options, goldens);
  if (options.value_corruptions) return selftest_value_corruptions(options, goldens);
  return options.corruptions ? selftest_corruptions(options, goldens) : selftest_faults(options, goldens);
}

}  // namespace parity::cli

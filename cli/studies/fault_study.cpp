// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/studies/fault_study.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include <fmt/core.h>

#include "cli/reports/document.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/environment.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using faults::FaultRow;
using faults::Matrix;
using faults::Planting;

/// The words of the table; the JSON document has others.
std::string status_text(const Matrix& matrix, const FaultRow& row) {
  const std::string status = status_of(matrix, row);
  return status == "killed" ? "noticed" : status == "survived" ? "missed" : status;
}

std::string signal_text(double signal) {
  return std::isinf(signal) ? "decision" : fmt::format("{}x", reports::number(signal, 2));
}

std::string table_of(const Matrix& matrix) {
  reports::Table table({"fault", "component", "status", "named", "taps away", "best golden", "goldens", "error"}, 4);
  for (const FaultRow& row : matrix.rows) {
    const Planting* best = row.best();
    if (best == nullptr) {
      table.add({row.fault->id, row.fault->component, status_text(matrix, row), "-", "-", "-", "-", "-"});
      continue;
    }
    const auto killed =
        std::count_if(row.plantings.begin(), row.plantings.end(), [](const auto& p) { return p.flagged(); });
    table.add({row.fault->id, row.fault->component, status_text(matrix, row),
               best->named_component.empty() ? "-" : best->named_component,
               best->distance ? fmt::format("{}", *best->distance) : "-",
               std::filesystem::path(best->fixture).filename().string(),
               fmt::format("{}/{}", killed, row.plantings.size()), signal_text(best->signal)});
  }
  return table.text("  ", terminal_width());
}

struct Figure {
  const char* name;
  Matrix::Predicate predicate;
  double faults::Floors::*least;
};

constexpr Figure kFigures[] = {
    {"noticed", &FaultRow::killed, &faults::Floors::killed},
    {"component named", &FaultRow::component_named, &faults::Floors::named},
    {"within one tap", &FaultRow::within_one_tap, &faults::Floors::within_one},
    {"effect of at least 4 times the limit", &FaultRow::observable, &faults::Floors::observable}};

/// Prints each fault that survived or was named badly, with the command that repeats it.
void print_exceptions(const Matrix& matrix) {
  for (const FaultRow& row : matrix.rows) {
    const Planting* best = row.best();
    if (matrix.rounds_differently(row)) continue;
    const bool fine = row.component_named() && row.within_one_tap() && (row.observable() || !matrix.backend.empty());
    if (row.equivalent() ? !row.killed() : fine) {
      if (row.equivalent() && best != nullptr)
        fmt::print(
            "EQUIVALENT {}  {}; its largest effect is {} times the tolerance, {} of the tap's largest magnitude\n",
            row.fault->id, row.fault->equivalent, reports::number(best->signal, 2), reports::number(best->effect, 2));
      continue;
    }
    fmt::print("{} {}  {}\n", !row.killed() ? "MISSED" : fine ? "NOTICED" : "WEAK", row.fault->id, row.fault->title);
    if (best == nullptr) {
      fmt::print("     no golden has a node in which it can be planted\n");
      continue;
    }
    for (const Planting& planting : row.plantings) {
      if (!planting.defect.empty()) fmt::print("     {}: {}\n", planting.fixture, reports::plain(planting.defect));
    }
    fmt::print("     {}: {}, named {}{}\n", best->fixture,
               std::isinf(best->signal) ? "another choice" : signal_text(best->signal) + " the limit",
               best->named.empty() ? "nothing" : best->named,
               best->distance ? fmt::format(", {:+} judged taps from the right one", *best->distance) : "");
  }
  for (const faults::Fault* fault : matrix.not_held)
    fmt::print("not planted: {} {}, the component of fault {}; parity battery --faults {} tests it\n",
               matrix.backend.empty() ? "no golden contains" : matrix.backend + " has no kernel of", fault->component,
               fault->id, fault->component);
  for (const std::string& alarm : matrix.false_alarms) fmt::print("FALSE ALARM, {}\n", reports::plain(alarm));
}

void print(const Matrix& matrix, bool explained) {
  fmt::print("{}", table_of(matrix));
  print_exceptions(matrix);
  const auto shipped =
      std::count_if(matrix.rows.begin(), matrix.rows.end(), [](const auto& row) { return !row.fault->seen.empty(); });
  const auto later = std::count_if(matrix.rows.begin(), matrix.rows.end(),
                                   [&](const auto& row) { return matrix.rounds_differently(row); });
  if (later > 0)
    fmt::print("      {} faults only leave out or postpone roundings, or reorder ids: not counted\n", later);
  fmt::print("{}  {} faults ({} of them from shipped software), {} without effect, {} goldens, {} false alarms\n",
             verdict_word(matrix.rows.empty() ? "NOT RUN"
                          : matrix.holds()    ? "PASS"
                                              : "FAIL"),
             matrix.rows.size(), shipped, matrix.equivalents(), matrix.fixtures, matrix.false_alarms.size());
  for (const Figure& figure : kFigures) {
    const double least = faults::floors_of(matrix.backend).*figure.least;
    fmt::print("      {:<32} {:>4} of {}  {:.1f}%{}\n", figure.name, matrix.count(figure.predicate), matrix.counted(),
               100.0 * matrix.share(figure.predicate),
               least > 0.0 ? fmt::format(", at least {:.0f}% required", 100.0 * least) : "");
  }
  if (explained) {
    for (const FaultRow& row : matrix.rows) {
      if (row.killed() && !row.bug_named() && matrix.counts(row))
        fmt::print("      {} is explained by {}\n", row.fault->id,
                   row.explained_by.empty() ? "nothing" : row.explained_by);
    }
    fmt::print("      {:<32} {:>4} (planted and explained from the same catalogue)\n", "bug named",
               matrix.count(&FaultRow::bug_named));
  }
}

}  // namespace

std::string nearest_fault(const std::string& glob) {
  std::vector<std::string> ids;
  for (const faults::Fault& fault : faults::catalogue()) ids.push_back(fault.id);
  return did_you_mean(glob, ids);
}

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
  PARITY_CHECK(!matrix.rows.empty() || !matrix.not_held.empty(), usage,
               "no fault matches '{}'{}; see parity list faults", options.faults, nearest_fault(options.faults));
  write_document(options.json, "selftest",
                 matrix.rows.empty() ? nothing_ran
                 : matrix.holds()    ? holds
                                     : broken,
                 fault_study_json(matrix));
  if (options.json != "-") {
    print(matrix, options.explain);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
    fmt::print("      {:.0f} s, peak memory {:.0f} MiB\n", taken.count(),
               static_cast<double>(peak_resident_bytes()) / 0x1p20);
  }
  if (matrix.rows.empty()) return nothing_ran;
  return matrix.holds() ? holds : broken;
}

}  // namespace parity::cli

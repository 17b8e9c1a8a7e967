// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity selftest --leave-one-out`: explains each fault with a catalogue that lacks it.
#include "faults/explaining/leave_one_out.hpp"

#include <chrono>
#include <map>
#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/reports/document.hpp"
#include "cli/studies/selftest.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using faults::Described;
using faults::LeaveOneOut;
using faults::LeftOut;
using Json = nlohmann::ordered_json;

constexpr Described kAll[] = {Described::same, Described::partly, Described::nearly, Described::nothing,
                              Described::wrong};

std::string table_of(const LeaveOneOut& study) {
  std::map<std::string, LeaveOneOut> kinds;
  for (const LeftOut& row : study.rows) kinds[row.kind].rows.push_back(row);
  reports::Table table({"edit", "faults", "same", "partly", "nearly", "nothing", "wrong"}, 1);
  for (const auto& [kind, rows] : kinds) {
    std::vector<std::string> cells{kind, std::to_string(rows.rows.size())};
    for (const Described described : kAll) cells.push_back(std::to_string(rows.count(described)));
    table.add(cells);
  }
  return table.text("  ", terminal_width());
}

Json json_of(const LeaveOneOut& study) {
  Json document{{"faults", study.rows.size()}, {"share", study.share()}, {"rows", Json::array()}};
  for (const LeftOut& row : study.rows) {
    document["rows"].push_back({{"id", row.fault->id},
                                {"edit", row.kind},
                                {"fixture", row.fixture},
                                {"described", to_string(row.described)},
                                {"named", row.named},
                                {"seconds", row.seconds}});
  }
  return document;
}

void print(const LeaveOneOut& study, double seconds) {
  for (const LeftOut& row : study.rows) {
    if (row.described == Described::same) continue;
    fmt::print("{:<8} {:<34} {:<10} {}\n", to_string(row.described), row.fault->id, row.kind,
               row.named.empty() ? "-" : reports::plain(row.named));
  }
  fmt::print("{}", table_of(study));
  fmt::print(
      "{}  after removal of each fault from the catalogue: {} of {} are explained by an equivalent change ({:.1f}%, at "
      "least {:.0f}% required), {} others by a change with another effect; {:.0f} s\n",
      verdict_word(study.rows.empty() ? "NOT RUN"
                   : study.holds()    ? "PASS"
                                      : "FAIL"),
      study.count(Described::same), study.rows.size(), 100.0 * study.share(), 100.0 * faults::kLeastDescribed,
      study.count(Described::wrong), seconds);
}

}  // namespace

int selftest_leave_one_out(const SelftestOptions& options, const std::vector<std::filesystem::path>& goldens) {
  const auto started = std::chrono::steady_clock::now();
  faults::LeaveOneOutOptions study_options;
  study_options.goldens = goldens;
  study_options.select = options.faults;
  ProgressBar bar("faults", options.quiet);
  study_options.progress = [&](size_t done, size_t total) { bar.update(done, total, ""); };
  const LeaveOneOut study = faults::leave_one_out(study_options);
  bar.pause();
  write_document(options.json, "leave_one_out",
                 study.rows.empty() ? nothing_ran
                 : study.holds()    ? holds
                                    : broken,
                 json_of(study));
  if (options.json != "-")
    print(study, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
  if (study.rows.empty()) return nothing_ran;
  return study.holds() ? holds : broken;
}

}  // namespace parity::cli

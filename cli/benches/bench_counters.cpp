// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity bench --counters`: what CUDA kernels cost, counted without a GPU, and the gate for it.
#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "benches/counters/counters.hpp"
#include "cli/benches/bench_parts.hpp"
#include "cli/exit_codes.hpp"
#include "cli/reports/document.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/text.hpp"
#include "golden/files/strict_json.hpp"
#include "reports/counters/counters_text.hpp"
#include "reports/files/files.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using namespace benches;

constexpr size_t kHeaviest = 8;  // lines of each launch that are printed

void require_counted(const BenchOptions& options) {
  PARITY_CHECK(glob_match(options.backend, kCountedBackend), usage,
               "--counters counts only kernels of {} and {}, which --backend '{}' excludes; use --backend {}",
               kCountedBackend, kCountedSm90, options.backend, kCountedBackend);
}

CounterOptions counter_options(const BenchOptions& options) {
  const bool of_sm90 = options.backend == kCountedSm90;
  if (!of_sm90) require_counted(options);
  CounterOptions wanted;
  if (of_sm90) wanted.backend = kCountedSm90;
  wanted.select = options.select;
  if (options.seed != 0) wanted.seed = options.seed;  // else always the same, as some kernels' counts hang on operands
  wanted.sample = options.sample;
  wanted.gpu = &gpu_named(options.gpu);
  return wanted;
}

std::string ratio_cell(const std::optional<double>& ratio) { return ratio ? fmt::format("{:.2f}", *ratio) : "-"; }
std::string share_cell(const std::optional<double>& part) { return part ? fmt::format("{:.1f}%", 100 * *part) : "-"; }

/// "40 registers, 0 bytes spilled; an SM holds 6 blocks, 75 % of its warps: registers limit them".
std::string assembled_text(const CountedCase& counted, const optimized::cuda::CountedLaunch& launch,
                           const ptx::Gpu& gpu) {
  const auto held = occupancy_of(counted, launch, gpu);
  if (!held) return "";
  const Assembled& by = counted.assembled.at(launch.what.kernel);
  return fmt::format(
      "  assembled     {} registers per thread, {} bytes spilled; an SM holds {} block{}, {:.0f} % of its warps, "
      "limited by {}\n",
      by.registers, by.spilled_bytes, held->blocks, held->blocks == 1 ? "" : "s", 100 * held->share, held->limit);
}

void print(const CountedCase& counted, const ptx::Gpu& gpu) {
  fmt::print("{}\n", counted.name);
  for (const auto& launch : counted.launches)
    fmt::print("{}{}", reports::counters_text(launch.counters, &gpu, kHeaviest, counted.stated()),
               assembled_text(counted, launch, gpu));
  if (counted.launches.size() > 1)
    fmt::print("all {} launches\n{}", counted.launches.size(), reports::totals_text(counted.total()));
  fmt::print("\n");
}

/// Registers and spills of the launch that has the most, occupancy of the one that has the least.
std::vector<std::string> assembled_cells(const CountedCase& counted, const ptx::Gpu& gpu) {
  if (counted.assembled.empty()) return {"-", "-", "-"};
  uint32_t registers = 0, spilled = 0;
  double least = 1;
  for (const auto& [kernel, by] : counted.assembled) {
    registers = std::max(registers, by.registers);
    spilled = std::max(spilled, by.spilled_bytes);
  }
  for (const auto& launch : counted.launches)
    if (const auto held = occupancy_of(counted, launch, gpu)) least = std::min(least, held->share);
  return {std::to_string(registers), std::to_string(spilled), fmt::format("{:.0f}%", 100 * least)};
}

void print_table(const std::vector<CountedCase>& cases, const ptx::Gpu& gpu) {
  reports::Table rows({"case", "tensor x ideal", "DRAM x ideal", "L2 x DRAM", "conflicts", "coalesced", "registers",
                       "spilled", "occupancy"},
                      1);
  std::set<std::string> notes;
  for (const CountedCase& counted : cases) {
    notes.insert(counted.left_out.begin(), counted.left_out.end());
    if (!counted.why.empty()) {
      rows.add({counted.name, "not counted: " + counted.why, "", "", "", "", "", "", ""});
      continue;
    }
    const OverIdeal over = over_ideal(counted);
    if (over.l2_of_operands)
      notes.insert(
          "~: only a sample of blocks ran, so L2 x DRAM is divided by the bytes of the operands, not of different "
          "addresses");
    std::vector<std::string> cells{counted.name,
                                   ratio_cell(over.tensor),
                                   ratio_cell(over.dram),
                                   ratio_cell(over.l2) + (over.l2_of_operands ? "~" : ""),
                                   share_cell(over.conflicts),
                                   share_cell(over.coalesced)};
    for (std::string& cell : assembled_cells(counted, gpu)) cells.push_back(std::move(cell));
    rows.add(std::move(cells));
  }
  fmt::print("{}", reports::plain(rows.text("  "), true));
  for (const std::string& note : notes) fmt::print("! {}\n", note);
}

/// Prints what has grown and returns the exit code for it.
int judged(const std::vector<CounterVerdict>& verdicts) {
  int64_t grown = 0, lost = 0, compared = 0;
  for (const CounterVerdict& verdict : verdicts) {
    grown += verdict.grown.empty() ? 0 : 1;
    lost += verdict.lost ? 1 : 0;
    compared += verdict.why.empty() ? 1 : 0;
    for (const std::string& line : verdict.grown) fmt::print("MORE  {}: {}\n", verdict.name, line);
    if (!verdict.why.empty()) fmt::print("{}  {}: {}\n", verdict.lost ? "FAIL" : "NEW ", verdict.name, verdict.why);
  }
  fmt::print("{}  {} cases, {} of them with higher counts than in the baseline\n",
             verdict_word(grown + lost > 0 ? "FAIL" : "PASS"), verdicts.size(), grown);
  return grown + lost > 0 ? broken : compared > 0 ? holds : nothing_ran;
}

CounterBaseline baseline_of(const std::string& path) {
  try {
    return counter_baseline_from_json(golden::read_json(path), path);
  } catch (const Error& error) {
    constexpr const char* kRemedy = "write this file with parity bench --counters --json";
    if (std::string(error.what()).find(kRemedy) != std::string::npos) throw;
    throw Error(error.code(), fmt::format("{}; {}", error.what(), kRemedy));
  }
}

}  // namespace

const ptx::Gpu& gpu_named(const std::string& id) {
  std::vector<std::string> ids;
  for (const auto& [known, each] : ptx::gpus()) ids.push_back(known);
  PARITY_CHECK(ptx::gpus().contains(id), usage, "--gpu '{}' is not known{}; use {}", id, did_you_mean(id, ids),
               fmt::join(ids, ", "));
  return ptx::gpu(id);
}

int bench_counters(const BenchOptions& options) {
  if (!options.table.empty()) {
    require_counted(options);
    return bench_msa_counters(options);
  }
  CounterOptions wanted = counter_options(options);
  if (!options.json.empty()) reports::check_writable(options.json);
  const auto before =
      options.baseline.empty() ? std::nullopt : std::optional<CounterBaseline>(baseline_of(options.baseline));
  if (before) require_same_operands(*before, wanted);  // before minutes are spent
  ProgressBar bar("counting", options.quiet);
  wanted.progress = [&bar](const std::string& what) { bar.note(what); };
  const std::vector<CountedCase> cases = count_cases(wanted);
  bar.pause();
  if (cases.empty() && !before) return no_case_matches(options);
  const bool silent = options.json == "-";
  if (!silent) {
    for (const CountedCase& counted : cases) print(counted, *wanted.gpu);
    print_table(cases, *wanted.gpu);
  }
  const bool wrong = std::any_of(cases.begin(), cases.end(), [](const auto& each) { return !each.why.empty(); });
  write_document(options.json, "counters", wrong ? broken : holds, to_json(cases, wanted));
  const int status = before ? judged(compare_counters(*before, cases, wanted)) : holds;
  return wrong ? broken : status;
}

}  // namespace parity::cli

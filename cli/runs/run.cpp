// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <set>

#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include "cli/gate/shards.hpp"
#include "cli/reports/document.hpp"
#include "cli/runs/run_parts.hpp"
#include "cli/studies/model_cases.hpp"
#include "cli/terminal/launched.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "cli/terminal/world.hpp"
#include "compare/goldens/manifest.hpp"
#include "compare/judging/accepted.hpp"
#include "compare/judging/verdict.hpp"
#include "core/environment.hpp"
#include "core/text.hpp"
#include "golden/golden.hpp"
#include "reports/files/accepted_file.hpp"
#include "reports/files/files.hpp"
#include "reports/files/manifest_file.hpp"
#include "reports/json/json.hpp"
#include "reports/text/junit.hpp"
#include "reports/text/markdown.hpp"
#include "reports/text/terminal.hpp"

namespace parity::cli {
namespace {

void write_reports(const compare::RunReport& report, const RunOptions& options) {
  if (!options.json.empty()) reports::write_text_atomically(options.json, reports::json_text(report));
  if (wants_document({})) write_renderings(reports::to_json(report));
  if (!options.junit.empty()) reports::write_text_atomically(options.junit, reports::junit_xml(report));
  if (!options.markdown.empty()) reports::write_text_atomically(options.markdown, reports::markdown(report));
}

/// Writes the manifest, but only if the run is green: a manifest lists what later runs must judge.
void write_manifest(const compare::RunReport& report, const RunOptions& options) {
  if (options.write_manifest.empty()) return;
  if (report.exit_code != holds) {
    complain(options.write_manifest + " is not written, because the run did not pass");
    return;
  }
  const auto manifest = compare::manifest_of(report, options.taps);
  reports::write_text_atomically(options.write_manifest, reports::manifest_text(manifest));
}

/// Returns entries for --accept that cover the remaining failures of a candidate; empty if there are more than five.
std::string proposals(const compare::RunReport& report, const RunOptions& options) {
  if (report.exit_code != broken || options.candidate.empty()) return {};
  std::vector<compare::Accepted> entries;
  for (const compare::GoldenReport& golden : report.goldens) {
    for (const compare::Accepted& more : compare::proposals(golden)) {
      const bool known = std::any_of(entries.begin(), entries.end(), [&](const compare::Accepted& entry) {
        return entry.tap == more.tap && entry.fault == more.fault && entry.factor == more.factor;
      });
      if (!known) entries.push_back(more);
    }
  }
  constexpr size_t kMost = 5;
  if (entries.empty() || entries.size() > kMost) return {};
  return "to accept it, fill in reason and date, save it, and pass it with --accept:\n" +
         reports::accepted_text(entries);
}

void print_report(const compare::RunReport& report, const RunOptions& options) {
  reports::TerminalStyle style = terminal_style(options.verbose);
  style.notes = options.power || !options.assume.empty();
  style.taps = options.taps;
  style.bit_equal = options.bit_equal;
  style.proposals = proposals(report, options);
  fmt::print("{}", reports::terminal_text(report, style));
}

/// The end of the tap's name from its `slashes`th slash, counted from the end; all of it if it has fewer.
std::string end_of(const std::string& tap, int64_t slashes) {
  size_t at = tap.size();
  for (; slashes > 0 && at != std::string::npos; --slashes) at = at == 0 ? std::string::npos : tap.rfind('/', at - 1);
  return at == std::string::npos ? tap : tap.substr(at);
}

/// The glob that --select may have meant: its words after the last star, as a recorded tap ends.
std::string nearest_selection(const std::vector<std::string>& goldens, const std::string& glob) {
  const size_t star = glob.rfind('*');
  const std::string head = star == std::string::npos ? "" : glob.substr(0, star + 1);
  const std::string tail = glob.substr(head.size());
  const auto slashes = std::count(tail.begin(), tail.end(), '/');
  std::set<std::string> ends;
  for (const std::string& path : goldens) {
    const auto file = golden::ActivationFile::open(golden::activations_of(path));
    for (const auto& dataset : file.datasets())
      ends.insert(head.empty() ? dataset.path : end_of(dataset.path, slashes));
  }
  const std::string nearest = nearest_name(tail, {ends.begin(), ends.end()});
  return nearest.empty() || tail.empty() ? "" : fmt::format(" (did you mean '{}{}'?)", head, nearest);
}

/// Complains if --select matches no recorded tap.
void complain_of_selection(const compare::RunReport& report, const RunOptions& options) {
  const bool nothing = std::all_of(report.goldens.begin(), report.goldens.end(),
                                   [](const auto& golden) { return golden.records.empty() && golden.reason.empty(); });
  if (options.select != "*" && nothing)
    complain(fmt::format("--select '{}' matches no recorded tap{}; see parity golden ls", options.select,
                         nearest_selection(options.goldens, options.select)));
}

std::vector<std::string> part_of(const std::vector<std::string>& goldens, const compare::Shard& shard) {
  std::vector<std::string> part;
  for (const int64_t position : shard.goldens) part.push_back(goldens[static_cast<size_t>(position)]);
  return part;
}

}  // namespace

void choose_memory_policy(bool drawn) {
#ifdef __GLIBC__
  constexpr int kTensor = 1 << 20;  // bytes; unset, glibc raises this threshold with every larger freed block
  if (drawn) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  } else {
    mallopt(M_MMAP_THRESHOLD, kTensor);
  }
#else
  static_cast<void>(drawn);
#endif
}

int finish(compare::RunReport& report, const RunOptions& options, int damage) {
  if (!options.manifest.empty()) compare::hold_to(reports::read_manifest(options.manifest), options.manifest, report);
  compare::conclude(report);
  if (!report.shard) complain_of_selection(report, options);
  report.exit_code = exit_code_of(report, damage);
  if (documents_on_stdout(options) == 0) print_report(report, options);  // first, lest a file cannot be written
  write_reports(report, options);
  write_manifest(report, options);
  return report.exit_code;
}

compare::RunReport judged_report(const RunOptions& options, compare::RunOptions& judged, int& damage) {
  const std::optional<compare::Shard> shard = shard_of(options);
  std::optional<golden::TemporaryFolder> made;
  std::vector<std::string> goldens = options.goldens;
  if (!options.synthetic.published.empty()) goldens = {synthesized(options, made)};
  if (shard) goldens = part_of(goldens, *shard);
  compare::RunReport report = judge_all(goldens, options, judged, damage);
  if (made) rename_commands(report, made->path().string(), options);
  report.shard = shard;
  report.peak_rss_bytes = peak_resident_bytes();
  return report;
}

int run(const RunOptions& options) {
  const bool synthetic = !options.synthetic.published.empty();
  const auto launch = launched();
  const bool share = launch && options.shard.empty() && options.layout.single() && !synthetic;
  if (share && launch->rank > 0) return run_launched(options, *launch);  // rank 0 complains of wrong options
  std::unique_ptr<World> world = World::join(options);  // first, because the other ranks leave all words to rank 0
  compare::RunOptions judged = judged_options(options);
  judged.wrap = nccl_wrap(options);
  judged.ranks = world ? world->walks() : ranks_on_threads(options);
  if (world && world->rank() != 0) {
    world->serve(judged);
    return holds;
  }
  choose_memory_policy(synthetic);
  if (options.cases > 0 || !options.only_case.empty()) return run_model_cases(options, judged);
  if (synthetic) {
    SynthesizeOptions asked = options.synthetic;
    asked.profile = options.profile;
    refuse_without_place(asked, options.candidate);
  }
  if (options.candidate.empty() && !options.quiet && isatty(STDERR_FILENO) == 1)
    fmt::print(stderr, "candidate: golden (the recording itself); --candidate cpu judges the CPU kernels\n");
  if (!options.manifest.empty())
    static_cast<void>(reports::read_manifest(options.manifest));  // refused before the work
  if (share) return run_launched(options, *launch);
  const auto started = std::chrono::steady_clock::now();
  int damage = holds;
  compare::RunReport report = judged_report(options, judged, damage);
  world.reset();  // what is printed and written from here on is whole, whatever becomes of other processes
  const int code = finish(report, options, damage);
  if (synthetic && documents_on_stdout(options) == 0 && !options.quiet) print_work(started);
  return code;
}

}  // namespace parity::cli

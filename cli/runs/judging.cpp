// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <new>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/runs/candidate.hpp"
#include "cli/runs/run_parts.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/standard_streams.hpp"
#include "compare/judging/accepted.hpp"
#include "core/environment.hpp"
#include "faults/catalogue.hpp"
#include "faults/explaining/explain.hpp"
#include "reports/files/accepted_file.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

constexpr int64_t kPictures = 24;  // 20 kB each in report.json

compare::GoldenReport not_judged(const std::string& path, compare::Status verdict, const std::string& reason) {
  compare::GoldenReport report;
  report.path = path;
  report.name = std::filesystem::path(path).filename().string();
  report.verdict = verdict;
  report.reason = reason;
  return report;
}

/// Prints on stderr why a golden could not be judged, unless the report is printed to the same terminal or file.
void complain_of(const compare::GoldenReport& golden, const RunOptions& options) {
  const bool judged = golden.reason.empty() || !golden.oracle.empty();  // a refused golden has no oracle
  const bool shown = documents_on_stdout(options) == 0 && streams_are_one();
  if (judged || shown) return;
  complain((golden.reason.starts_with(golden.path) ? "" : golden.path + ": ") + golden.reason);
}

/// Judges one golden. If it cannot be judged, returns a report that says why, so that the other goldens still run.
compare::GoldenReport judge(const std::string& path, const compare::RunOptions& options, int& exit_code) {
  constexpr const char* kDefect = " (this is a defect of parity, please report it)";
  try {
    return compare::run_golden(golden::Golden::open(path), options);
  } catch (const ranks::RankFailed&) {  // a run that lost a rank shows nothing
    throw;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) throw;
    const bool ours = error.code() == ErrorCode::internal;
    const bool unsupported = error.code() == ErrorCode::unsupported;
    if (!unsupported) exit_code = std::max<int>(exit_code, ours ? internal_error : golden_damaged);
    return not_judged(path, unsupported ? compare::Status::unimplemented : compare::Status::error,
                      std::string(error.what()) + (ours ? kDefect : ""));
  } catch (const std::bad_alloc&) {  // the next golden may need less memory, and the results so far are kept
    exit_code = std::max<int>(exit_code, internal_error);
    return not_judged(path, compare::Status::error,
                      "out of memory; judge this golden alone, use --select, or use a machine with more memory");
  } catch (const std::filesystem::filesystem_error& error) {
    exit_code = std::max<int>(exit_code, golden_damaged);
    return not_judged(path, compare::Status::error, error.code().message() + "; name another file or folder");
  } catch (const std::exception& error) {
    exit_code = internal_error;
    return not_judged(path, compare::Status::error, std::string(error.what()) + kDefect);
  }
}

/// Marks the failures that the list accepts. A fault on the list is tested by judging again with that fault assumed.
void accept(const std::string& path, const compare::RunOptions& judged, const std::vector<compare::Accepted>& accepted,
            compare::GoldenReport& report) {
  const auto right_under = [&](const std::string& fault) {
    compare::RunOptions assumed = judged;
    assumed.hypothesis = faults::hypothesis_of({faults::find_fault(fault)});
    std::set<std::string> right;
    for (const compare::Record& record : compare::run_golden(golden::Golden::open(path), assumed).records) {
      if (!compare::is_open(record, compare::Policy::bounds)) right.insert(record.tap);
    }
    return right;
  };
  compare::accept(accepted, right_under, report);
}

}  // namespace

compare::RunReport judge_all(const std::vector<std::string>& goldens, const RunOptions& options,
                             compare::RunOptions& judged, int& damage) {
  const auto accepted =
      options.accept.empty() ? std::vector<compare::Accepted>{} : reports::read_accepted(options.accept);
  compare::RunReport report;
  report.command = options.command_line;
  report.environment = capture_environment();
  for (const std::string& path : goldens) {
    ProgressBar bar("judging " + reports::plain(path), options.quiet);
    judged.progress = [&](size_t done, size_t total, const std::string& where) { bar.update(done, total, where); };
    judged.pictures = kPictures;
    report.goldens.push_back(judge(path, judged, damage));
    judged.pictures = 0;  // later runs look for causes
    complain_of(report.goldens.back(), options);
    if (!options.assume.empty())
      report.goldens.back().notes.push_back(
          fmt::format("judged against the reference changed by --assume {}", fmt::join(options.assume, " and ")));
    if (!accepted.empty()) accept(path, judged, accepted, report.goldens.back());
    bar.note("comparing the wrong values");
    say_values(path, judged, report.goldens.back());
    bar.note("counting faults that would not be noticed");
    if (options.power && !judged.hypothesis) say_power(path, judged, report.goldens.back());
    bar.note("looking for the cause");
    if (options.explain && !judged.hypothesis) explain_divergence(path, judged, report.goldens.back());
    report.seconds += report.goldens.back().seconds;
  }
  return report;
}

}  // namespace parity::cli

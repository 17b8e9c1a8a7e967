// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <new>
#include <optional>
#include <set>

#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include "cli/candidate.hpp"
#include "cli/commands.hpp"
#include "cli/model_cases.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "compare/accepted.hpp"
#include "compare/golden_run.hpp"
#include "compare/manifest.hpp"
#include "compare/verdict.hpp"
#include "core/plans/processor_profiles.hpp"
#include "core/plans/profile.hpp"
#include "core/shell.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/explaining/explain.hpp"
#include "golden/temporary_folder.hpp"
#include "reference/meter.hpp"
#include "replay/golden_plan.hpp"
#include "reports/accepted_file.hpp"
#include "reports/files.hpp"
#include "reports/format.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/manifest_file.hpp"
#include "reports/markdown.hpp"
#include "reports/terminal.hpp"

namespace parity::cli {
namespace {

void set_mode(const std::string& mode, compare::RunOptions& options) {
  using compare::Mode;
  if (mode.empty()) return;
  for (const Mode known : {Mode::isolated, Mode::chained, Mode::forced}) {
    if (mode == to_string(known)) options.mode = known;
  }
  PARITY_CHECK(options.mode.has_value(), usage, "--mode '{}' is not known{}; use isolated, chained or forced", mode,
               did_you_mean(mode, {"isolated", "chained", "forced"}));
}

void set_policy(const std::string& policy, compare::RunOptions& options) {
  using compare::Policy;
  if (policy.empty()) return;
  for (const Policy known : {Policy::bits, Policy::bounds}) {
    if (policy == to_string(known)) options.policy = known;
  }
  PARITY_CHECK(options.policy.has_value(), usage, "--policy '{}' is not known{}; use bits or bounds", policy,
               did_you_mean(policy, {"bits", "bounds"}));
}

/// What is said of a capture's values beside the file.
void set_reading(const std::string& inputs, const std::string& nothing, compare::RunOptions& options) {
  using Candidate = compare::RunOptions::Candidate;
  PARITY_CHECK(inputs == "own" || inputs == "golden", usage, "--inputs '{}' is not known{}; use own or golden", inputs,
               did_you_mean(inputs, {"own", "golden"}));
  PARITY_CHECK((inputs == "own" && nothing.empty()) || options.candidate == Candidate::capture, usage,
               "--inputs and --nothing are about --candidate capture:FILE");
  if (inputs == "golden") options.inputs = compare::RunOptions::Inputs::golden;
  PARITY_CHECK(inputs == "own" || !options.mode || *options.mode == compare::Mode::isolated, usage,
               "--inputs golden judges each node alone; use --mode isolated");
  if (nothing.empty()) return;
  char* end = nullptr;
  const double value = std::strtod(nothing.c_str(), &end);
  PARITY_CHECK(*end == '\0' && value < 0.0, usage, "--nothing '{}' is no negative number; use -3.4e38", nothing);
  options.nothing = value;
}

/// A name of no release at all is a mistake of the call, not a lack of the candidate.
void require_profile(const std::string& name) {
  constexpr std::string_view kSuffix = "-f64";
  const std::string release = name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
  std::vector<std::string> known;
  for (const auto* list : {&profiles(), &processor_profiles()}) {
    for (const Profile& profile : *list) {
      known.push_back(profile.name);
      known.insert(known.end(), profile.also.begin(), profile.also.end());
    }
  }
  PARITY_CHECK(name.empty() || std::find(known.begin(), known.end(), release) != known.end(), usage,
               "--profile '{}' is not known{}; see parity list profiles", name, did_you_mean(release, known));
}

/// Faults are composed; a profile stands in for the golden's own.
void set_assumed(const RunOptions& options, compare::RunOptions& judged) {
  constexpr std::string_view kProfile = "profile:";
  std::vector<faults::Fault> assumed;
  for (const std::string& text : options.assume) {
    if (text.starts_with(kProfile)) {
      judged.profile = text.substr(kProfile.size());
      require_profile(judged.profile);
    } else {
      assumed.push_back(faults::assumed_fault(text));
    }
  }
  if (assumed.empty()) return;
  judged.hypothesis = [assumed, rewrite = faults::hypothesis_of(assumed)](Plan& plan, const WeightSource& weights) {
    faults::require_places(assumed, plan);
    return rewrite(plan, weights);
  };
}

compare::GoldenReport not_judged(const std::string& path, compare::Status verdict, const std::string& reason) {
  compare::GoldenReport report;
  report.path = path;
  report.name = std::filesystem::path(path).filename().string();
  report.verdict = verdict;
  report.reason = reason;
  complain((reason.starts_with(path) ? "" : path + ": ") + reason);
  return report;
}

/// A golden that cannot be judged at all is a report of its own, so that the others still run.
compare::GoldenReport judge(const std::string& path, const compare::RunOptions& options, int& exit_code) {
  constexpr const char* kDefect = " (this is a defect of parity, please report it)";
  try {
    return compare::run_golden(golden::Golden::open(path), options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) throw;
    const bool ours = error.code() == ErrorCode::internal;
    const bool unsupported = error.code() == ErrorCode::unsupported;
    if (!unsupported) exit_code = std::max<int>(exit_code, ours ? internal_error : golden_damaged);
    return not_judged(path, unsupported ? compare::Status::unimplemented : compare::Status::error,
                      std::string(error.what()) + (ours ? kDefect : ""));
  } catch (const std::bad_alloc&) {  // the next one may be smaller, and what was judged so far is not lost
    exit_code = std::max<int>(exit_code, internal_error);
    return not_judged(path, compare::Status::error,
                      "out of memory; replay it alone, with --select, or use a machine with more");
  } catch (const std::filesystem::filesystem_error& error) {
    exit_code = std::max<int>(exit_code, golden_damaged);
    return not_judged(path, compare::Status::error, error.code().message() + "; name another file or folder");
  } catch (const std::exception& error) {
    exit_code = internal_error;
    return not_judged(path, compare::Status::error, std::string(error.what()) + kDefect);
  }
}

/// Not one tap has a judgement, and none is in error.
bool nothing_judged(const compare::RunReport& report) {
  return std::none_of(report.goldens.begin(), report.goldens.end(), [](const compare::GoldenReport& golden) {
    const bool refused = golden.verdict == compare::Status::error || golden.verdict == compare::Status::unimplemented ||
                         golden.verdict == compare::Status::mistrusted;
    return refused || std::any_of(golden.records.begin(), golden.records.end(), [](const compare::Record& record) {
             return record.status != compare::Status::skipped && record.status != compare::Status::not_recorded;
           });
  });
}

/// Nothing is red that nobody decided to live with, and nothing is lacking: what is wrong does not excuse what is not shown.
bool all_accepted(const compare::RunReport& report) {
  return std::all_of(report.goldens.begin(), report.goldens.end(), [](const compare::GoldenReport& golden) {
    const auto open = [&](const compare::Record& record) { return compare::is_open(record, golden.policy); };
    const auto unimplemented = [](const compare::Record& record) {
      return record.status == compare::Status::unimplemented;
    };
    const bool lacking = !golden.not_shown.empty() || !golden.reason.empty() ||
                         std::any_of(golden.records.begin(), golden.records.end(), unimplemented);
    return !lacking && std::none_of(golden.records.begin(), golden.records.end(), open);
  });
}

int exit_code_of(const compare::RunReport& report, int damage) {
  if (damage != holds) return damage;
  if (nothing_judged(report)) return nothing_ran;
  if (report.answer == compare::Answer::not_shown) return broken;
  return all_accepted(report) ? holds : broken;
}

/// Of drawn weights, one expert after the other, freed memory is kept for the next one instead of being faulted in again (a
/// fifth of the time). Of recordings, tensors are handed back: what is resident is what the largest span needs.
void choose_memory_policy(bool drawn) {
#ifdef __GLIBC__
  constexpr int kTensor = 1 << 20;  // bytes; glibc would raise this threshold with every larger block that is freed
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

/// Makes the golden that --synthetic asks for in a folder that lives as long as `folder`.
std::string synthesized(const RunOptions& options, std::optional<golden::TemporaryFolder>& folder) {
  folder.emplace();
  SynthesizeOptions make = options.synthetic;
  make.out = folder->path().string();
  make.profile = options.profile;
  make.quiet = true;
  make.announce = !options.quiet;
  golden_synthesize(make);
  return make.out;
}

/// The golden that was made is gone with the run: commands that read it become commands that make it again.
void rename_commands(compare::RunReport& report, const std::string& made, const RunOptions& options) {
  const std::string sizes = synthetic_arguments(options.synthetic);
  const std::string again = fmt::format("parity run --synthetic {}{}", options.synthetic.published, sizes);
  std::string folder = shell_quoted(made + "#");
  folder.pop_back();  // the quote that closes it
  const std::string in_front = "parity repro " + folder;
  for (compare::GoldenReport& golden : report.goldens) {
    for (compare::Record& record : golden.records) {
      if (!record.repro.starts_with(in_front)) continue;
      const std::string mode = record.repro.find(" --mode ") == std::string::npos ? " --mode isolated" : "";
      record.repro = fmt::format("{} --select '{}{}", again, record.repro.substr(in_front.size()), mode);
    }
    if (!golden.first_divergence) continue;
    std::string& text = golden.first_divergence->explanation;
    const size_t at = text.find("parity explain " + folder);
    if (at == std::string::npos) continue;
    const std::string explain = text.substr(at);
    text.replace(at, explain.size(),
                 fmt::format("parity golden synthesize OUT --drawn --published {}{} and parity explain 'OUT#{}",
                             options.synthetic.published, sizes,
                             explain.substr(std::string("parity explain ").size() + folder.size())));
  }
}

/// Of a golden of published size: where the time went.
void print_work(std::chrono::steady_clock::time_point started) {
  constexpr long kSize = 1024;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const reference::ProductMeter& products = reference::product_meter();
  const double eigen = reference::eigen_flops_per_second(kSize);
  const double ours = products.flops / products.seconds;
  fmt::print(
      stderr,
      "{:.0f} s, peak {:.2f} GiB; matrix products {:.0f} s ({:.0f} %), {:.2f} Tflop at {:.1f} Gflop/s, {:.0f} % of "
      "Eigen's own {:.1f} ({} cubed on every thread, binary64, same run)\n",
      seconds, static_cast<double>(peak_resident_bytes()) / 0x1p30, products.seconds,
      100.0 * products.seconds / seconds, products.flops / 1e12, ours / 1e9, 100.0 * ours / eigen, eigen / 1e9, kSize);
}

void write_reports(const compare::RunReport& report, const RunOptions& options) {
  if (!options.json.empty()) reports::write_text_atomically(options.json, reports::json_text(report));
  if (!options.junit.empty()) reports::write_text_atomically(options.junit, reports::junit_xml(report));
  if (!options.markdown.empty()) reports::write_text_atomically(options.markdown, reports::markdown(report));
}

/// Faults of the list are assumed by judging again.
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
    report.goldens.push_back(judge(path, judged, damage));
    if (!options.assume.empty())
      report.goldens.back().notes.push_back(
          fmt::format("judged against the reference in which {} is assumed", fmt::join(options.assume, " and ")));
    if (!accepted.empty()) accept(path, judged, accepted, report.goldens.back());
    say_values(path, judged, report.goldens.back());
    if (options.power && !judged.hypothesis) say_power(path, judged, report.goldens.back());
    bar.note("looking for what is behind it");
    if (options.explain && !judged.hypothesis) explain_divergence(path, judged, report.goldens.back());
    report.seconds += report.goldens.back().seconds;
  }
  return report;
}

/// Only what holds is worth asking for again.
void write_manifest(const compare::RunReport& report, const RunOptions& options) {
  if (options.write_manifest.empty()) return;
  if (report.exit_code != holds) {
    complain(options.write_manifest +
             " is not written: the run is not green; mend it, or leave out what is not to be judged");
    return;
  }
  const auto manifest = compare::manifest_of(report, options.taps);
  reports::write_text_atomically(options.write_manifest, reports::manifest_text(manifest));
}

/// What could be stated of what is left, ready to paste; for candidates, whose makers decide.
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
  return "to live with it, give reasons and dates in a file for --accept:\n" + reports::accepted_text(entries);
}

void print_report(const compare::RunReport& report, const RunOptions& options) {
  reports::TerminalStyle style = terminal_style(options.verbose);
  style.notes = options.power || !options.assume.empty();
  style.taps = options.taps;
  style.bit_equal = options.bit_equal;
  style.proposals = proposals(report, options);
  fmt::print("{}", reports::terminal_text(report, style));
}

}  // namespace

int run(const RunOptions& options) {
  const int to_stdout =
      (options.json == "-" ? 1 : 0) + (options.junit == "-" ? 1 : 0) + (options.markdown == "-" ? 1 : 0);
  PARITY_CHECK(to_stdout <= 1, usage,
               "only one of --json, --junit and --markdown can go to the standard output; name a file for the others");
  PARITY_CHECK(!options.goldens.empty() || !options.synthetic.published.empty(), usage,
               "no golden is named; give folders, or --synthetic m3");
  PARITY_CHECK(options.save.empty() || (options.goldens.size() == 1 && options.synthetic.published.empty()), usage,
               "--save writes one capture; name one golden");
  compare::RunOptions judged;
  set_candidate(options.candidate, judged);
  PARITY_CHECK(options.save.empty() || judged.candidate != compare::RunOptions::Candidate::capture, usage,
               "--save writes what runs here; --candidate {} is a capture already", options.candidate);
  judged.save = options.save;
  set_mode(options.mode, judged);
  set_policy(options.policy, judged);
  set_reading(options.inputs, options.nothing, judged);
  judged.required = options.required;
  require_profile(options.profile);
  choose_memory_policy(!options.synthetic.published.empty());
  judged.select = options.select;
  judged.profile = options.profile;
  set_assumed(options, judged);
  const bool drawn = options.cases > 0 || !options.only_case.empty();  // those without a place are left out
  if (!options.synthetic.published.empty() && !drawn) {
    SynthesizeOptions asked = options.synthetic;
    asked.profile = options.profile;
    refuse_without_place(asked, options.candidate);
  }
  if (drawn) return run_model_cases(options, judged);
  if (options.candidate.empty() && !options.quiet && isatty(STDERR_FILENO) == 1)
    fmt::print(stderr, "candidate: golden, what was recorded; --candidate cpu judges the CPU kernels\n");
  std::optional<compare::Manifest> manifest;
  if (!options.manifest.empty()) manifest = reports::read_manifest(options.manifest);
  std::vector<std::string> goldens = options.goldens;
  const auto started = std::chrono::steady_clock::now();
  std::optional<golden::TemporaryFolder> made;
  if (!options.synthetic.published.empty()) goldens = {synthesized(options, made)};
  int damage = holds;
  compare::RunReport report = judge_all(goldens, options, judged, damage);
  if (made) rename_commands(report, made->path().string(), options);
  if (manifest) compare::hold_to(*manifest, options.manifest, report);
  compare::conclude(report);
  if (options.select != "*" && std::all_of(report.goldens.begin(), report.goldens.end(), [](const auto& golden) {
        return golden.records.empty() && golden.reason.empty();
      }))
    complain(fmt::format("--select '{}' matches no tap that is recorded; see parity golden ls", options.select));
  report.exit_code = exit_code_of(report, damage);
  report.peak_rss_bytes = peak_resident_bytes();
  if (to_stdout == 0) print_report(report, options);  // before files are written: the result is not lost with them
  write_reports(report, options);
  write_manifest(report, options);
  if (made && to_stdout == 0 && !options.quiet) print_work(started);
  return report.exit_code;
}

int repro(const ReproOptions& options) {
  const size_t hash = options.case_id.rfind('#');  // a folder may have one, a tap has none
  PARITY_CHECK(hash != std::string::npos && hash > 0 && hash + 1 < options.case_id.size(), usage,
               "'{}' is not a case; expected GOLDEN#TAP, as a failing line prints it", options.case_id);
  RunOptions single;
  single.goldens = {options.case_id.substr(0, hash)};
  single.select = options.case_id.substr(hash + 1);
  if (single.select.find_first_of("*?") == std::string::npos) {  // a tap that does not exist would judge nothing
    const auto golden = golden::Golden::open(single.goldens.front());
    static_cast<void>(replay::tap_of(replay::plan_of(golden, options.profile), single.select, golden.name()));
  }
  single.candidate = options.candidate;
  single.mode = options.mode;
  single.inputs = options.inputs;
  single.nothing = options.nothing;
  single.profile = options.profile;
  single.policy = options.policy;
  single.taps = true;
  single.verbose = options.verbose;
  single.command_line =
      shell_line({"parity", "repro", options.case_id, "--candidate", options.candidate, "--mode", options.mode}) +
      (options.profile.empty() ? "" : " " + shell_line({"--profile", options.profile})) +
      (options.policy.empty() ? "" : " --policy " + options.policy);
  return run(single);
}

}  // namespace parity::cli

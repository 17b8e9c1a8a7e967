// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity bench`: timings of kernels that were judged correct, the table SDPA against MSA, and the regression gate.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "benches/baseline.hpp"
#include "benches/cases.hpp"
#include "benches/msa/msa_table.hpp"
#include "benches/msa/top_k.hpp"
#include "benches/peaks/rank_table.hpp"
#include "cli/benches/bench_parts.hpp"
#include "cli/commands.hpp"
#include "cli/reports/document.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/text.hpp"
#include "golden/files/mapped_file.hpp"
#include "reports/files/files.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

using namespace benches;

std::function<void(const std::string&)> progress_on(ProgressBar& bar) {
  return [&bar](const std::string& what) { bar.note(what); };
}

uint64_t seed_of(const BenchOptions& options) {
  if (options.seed != 0) return options.seed;
  return static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) % 1'000'000 + 1;
}

DType type_of(const std::string& name) {
  const auto type = parse_dtype(name);
  PARITY_CHECK(type == DType::bf16 || type == DType::f32, usage, "--dtype '{}' cannot be timed; use bf16 or f32", name);
  return *type;
}

Phase phase_of(const std::string& name) {
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    if (name == to_string(phase)) return phase;
  }
  throw Error(ErrorCode::usage, fmt::format("--phase '{}' is not known{}; use decode or prefill", name,
                                            did_you_mean(name, {"decode", "prefill"})));
}

/// Checks before measuring that every result file can be written, so that a long run is not lost at its end.
void check_outputs(const BenchOptions& options) {
  for (const std::string* path : {&options.save, &options.json, &options.markdown, &options.svg}) {
    if (!path->empty()) reports::check_writable(*path);
  }
}

/// Checks the options before anything is measured.
void check_measuring(const BenchOptions& options) {
  PARITY_CHECK(options.samples >= kFewestSamples, usage,
               "--samples {} are too few for a confidence interval; use {} or more", options.samples, kFewestSamples);
  PARITY_CHECK(options.samples <= kMostSamples, usage, "--samples {} would take too long; use at most {}",
               options.samples, kMostSamples);
  check_outputs(options);
}

void check_table(const BenchOptions& options) {
  PARITY_CHECK(std::isfinite(options.seconds) && options.seconds > 0.0, usage,
               "--seconds {} leaves no time; use a number above 0", options.seconds);
  for (const int64_t batch : options.batches)
    PARITY_CHECK(batch >= 1, usage, "--batch {} has no sequences; use 1 or more", batch);
  PARITY_CHECK(options.table != "top-k" || options.svg.empty(), usage,
               "--table top-k cannot be drawn as curves; remove --svg");
  PARITY_CHECK(options.table != "top-k" || options.backend == "*", usage,
               "--table top-k always times all backends; remove --backend");
  check_outputs(options);
}

int top_k_table(const BenchOptions& options) {
  const uint64_t seed = seed_of(options);
  ProgressBar bar("timing top-k", options.quiet);
  const std::vector<TopKRow> rows = run_top_k(seed);
  bar.pause();
  const std::string text = top_k_markdown(rows, seed);
  if (!options.markdown.empty()) reports::write_text_atomically(options.markdown, text);
  if (options.markdown != "-" && options.json != "-") fmt::print("{}", text);
  const bool any = std::any_of(rows.begin(), rows.end(), [](const TopKRow& row) { return !row.own.empty(); });
  const bool wrong = std::any_of(rows.begin(), rows.end(), [](const TopKRow& row) { return row.wrong; });
  const int code = wrong ? broken : any ? holds : nothing_ran;
  write_document(options.json, "top_k", code, top_k_json(rows, seed));
  return code;
}

/// Counts what bounds GPUs that divide a model. Nothing is drawn or timed.
int rank_table(const BenchOptions& options) {
  const ptx::Gpu& gpu = gpu_named(options.gpu);
  const std::string model = "m3";
  std::vector<RankRow> rows;
  ProgressBar bar("counting", options.quiet);
  for (const Layout& layout : table_layouts()) {
    for (const RankPhase& phase : table_phases()) {
      bar.note(layout.text() + ", " + phase.text());
      rows.push_back(count_ranks(model, layout, phase));
    }
  }
  bar.pause();
  const std::string text = rank_markdown(model, rows, gpu);
  if (!options.markdown.empty()) reports::write_text_atomically(options.markdown, text);
  if (options.markdown != "-" && options.json != "-") fmt::print("{}", text);
  write_document(options.json, "table", holds, rank_json(model, rows, gpu));
  return holds;
}

/// The backend of the table's own columns.
std::string table_backend(const std::string& name) {
  const optimized::Backend* backend = optimized::find_backend(name);
  std::vector<std::string> names;
  for (const optimized::Backend& each : optimized::backends())
    if (each.own) names.push_back(each.name);
  PARITY_CHECK(backend != nullptr && backend->own, usage, "--table has no columns for --backend '{}'{}; use {}", name,
               did_you_mean(name, names), fmt::join(names, ", "));
  backend->require();
  return name;
}

int table(const BenchOptions& options) {
  const std::vector<std::string> tables{"sdpa-msa", "top-k", "ranks"};
  PARITY_CHECK(std::find(tables.begin(), tables.end(), options.table) != tables.end(), usage,
               "table '{}' is not known{}; use {}", options.table, did_you_mean(options.table, tables),
               fmt::join(tables, ", "));
  check_table(options);
  if (options.table == "ranks") return rank_table(options);
  if (options.table == "top-k") return top_k_table(options);
  PARITY_CHECK(options.most >= 128, usage, "--most {} (tokens of context) is less than one key block; use 128 or more",
               options.most);
  TableOptions wanted;
  wanted.most = options.most;
  wanted.least = std::min(wanted.least, options.most);
  wanted.seconds = options.seconds;
  wanted.batches = options.batches;
  if (!options.heads.empty()) {
    PARITY_CHECK(options.heads.size() == 3, usage, "--heads takes three numbers: query, key and index heads");
    check_heads(wanted.heads.emplace(Heads{options.heads[0], options.heads[1], options.heads[2]}));
  }
  if (options.backend != "*") wanted.own = table_backend(options.backend);
  wanted.type = type_of(options.dtype);
  wanted.selection = parse_selection(options.selection.empty() ? "model" : options.selection);
  wanted.seed = seed_of(options);
  ProgressBar bar("timing", options.quiet);
  wanted.progress = progress_on(bar);
  if (!options.phases.empty()) {
    wanted.phases.clear();
    for (const std::string& name : options.phases) wanted.phases.push_back(phase_of(name));
  }
  const MsaTable made = run_table(wanted);
  bar.pause();
  const int code = has_wrong(made) ? broken : has_measured(made) ? holds : nothing_ran;
  if (wants_document(options.json)) write_document(options.json, "table", code, table_json(made));
  if (!options.markdown.empty()) reports::write_text_atomically(options.markdown, table_markdown(made));
  if (!options.svg.empty() && !made.rows.empty()) reports::write_text_atomically(options.svg, table_svg(made));
  if (options.json != "-" && options.markdown != "-") {
    fmt::print("{}", table_answer(made, terminal_width()));
    if (options.markdown.empty()) fmt::print("--markdown FILE writes all columns, --svg FILE draws them\n");
  }
  if (code == nothing_ran)
    fmt::print("machine busy, not measured: the times vary too much; repeat on an idle machine\n");
  return code;
}

std::string text_of(const std::string& path) {
  try {
    const golden::MappedFile file(path);  // refuses a pipe, whose end may never come
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; write this file with parity bench --save", error.what()));
  }
}

Baseline read(const std::string& path) { return baseline_from_json(text_of(path), path); }

std::string over_torch(const OverTorch& over) {
  return over.ratio > 0.0 ? fmt::format("{:.2f} ± {:.0f}%", over.ratio, 100 * over.spread) : "-";
}

void print(const Baseline& measured) {
  reports::Table rows({"case", "time", "spread", "torch / this", "of peak", "instructions"}, 1);
  std::map<std::string, std::vector<std::string>> notes;  // names of cases, by the remark printed about them
  for (const Measurement& row : measured.rows) {
    if (row.samples.empty()) {
      rows.add({row.name, "no time: " + row.why, "-", "-", "-", "-"});
      continue;
    }
    rows.add({row.name, fmt::format("{:.4g} us", 1e6 * median(row.samples)),
              fmt::format("{:.1f}%{}", 100 * spread(row.samples), row.unsteady() ? " unsteady" : ""),
              over_torch(row.over_torch), row.on_host ? row.share.text() : "-", reports::count(row.instructions)});
    if (row.share.beyond()) notes[row.share.note()].push_back(row.name);
  }
  fmt::print("{}", reports::plain(rows.text("  "), true));
  for (const auto& [note, names] : notes) fmt::print("! {}: {}\n", fmt::join(names, ", "), note);
}

/// Prints a comparison and returns the exit code for it.
int judged(const std::vector<Compared>& compared) {
  reports::Table rows({"case", "verdict", "ratio", "instructions"}, 1);
  std::map<std::string, int64_t> counts;
  bool slower = false, lost = false;
  for (const Compared& row : compared) {
    slower |= row.slower();
    lost |= row.wrong || row.gone;
    ++counts[row.why.empty() ? to_string(row.times) : "not compared"];
    rows.add({row.name, row.why.empty() ? to_string(row.times) : row.why,
              row.why.empty() ? fmt::format("{:.3f}", row.ratio) : "-",
              row.instructions ? to_string(*row.instructions) : "-"});
  }
  fmt::print("{}", reports::plain(rows.text("  "), true));
  std::string summary;
  for (const auto& [verdict, count] : counts) summary += fmt::format(", {} {}", count, verdict);
  fmt::print("{}  {} cases{}\n", verdict_word(slower ? "SLOWER" : lost ? "FAIL" : "PASS"), compared.size(), summary);
  const bool any = std::any_of(compared.begin(), compared.end(), [](const Compared& row) { return row.why.empty(); });
  return slower || lost ? broken : any ? holds : nothing_ran;
}

/// Returns a "did you mean" hint for a glob that matches no case: the nearest component, or the nearest case of it.
std::string nearest_glob(const std::string& glob) {
  const size_t slash = std::min(glob.find('/'), glob.size());
  const std::string component = glob.substr(0, slash);
  const std::string rest = slash < glob.size() ? glob.substr(slash + 1) : "";
  const size_t end = std::min(rest.find('/'), rest.size());
  std::vector<std::string> components, ids;
  for (const BenchCase& one : bench_cases()) {
    components.push_back(one.component);
    if (one.component == component) ids.push_back(one.id);
  }
  if (!ids.empty() && rest.empty()) return fmt::format(" (did you mean '{}/*'?)", component);
  const std::string nearest =
      ids.empty() ? nearest_name(component, components) : nearest_name(rest.substr(0, end), ids);
  if (nearest.empty()) return {};
  return fmt::format(" (did you mean '{}'?)", ids.empty() ? nearest + (rest.empty() ? "/*" : "/" + rest)
                                                          : component + "/" + nearest + rest.substr(end));
}

MeasureOptions measure_options(const BenchOptions& options) {
  MeasureOptions wanted;
  wanted.select = options.select;
  wanted.backend = options.backend;
  wanted.samples = static_cast<int>(options.samples);
  wanted.cold = options.cold;
  wanted.instructions = options.instructions;
  wanted.program = std::filesystem::read_symlink("/proc/self/exe").string();
  wanted.seed = seed_of(options);
  return wanted;
}

void print(const char* lane, const Study& study) {
  const auto share = [](int64_t part, int64_t whole) {
    return whole == 0 ? std::string("-")
                      : fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  };
  fmt::print(
      "{:<28} pairs of equal kernels: {} of {} called slower ({}), {} inconclusive; pairs with a slowed kernel: {} of "
      "{} found ({}), {} inconclusive\n",
      lane, study.alarms, study.pairs, share(study.alarms, study.pairs), share(study.undecided, study.pairs),
      study.found, study.slowed, share(study.found, study.slowed), share(study.slowed_undecided, study.slowed));
}

}  // namespace

int no_case_matches(const BenchOptions& options) {
  complain(fmt::format("no case matches '{}'{}{}", options.select,
                       options.backend == "*" ? "" : fmt::format(" of backend '{}'", options.backend),
                       nearest_glob(options.select)));
  return nothing_ran;
}

int bench(const BenchOptions& options) {
  if (!options.counted.empty()) return run_counted(options.counted, options.calls, options.extra), holds;
  PARITY_CHECK(options.json.empty() || !options.table.empty() || options.counters, usage,
               "--json requires --table or --counters; to write measured times, use --save");
  PARITY_CHECK(options.gpu == BenchOptions().gpu || options.counters || options.table == "ranks", usage,
               "--gpu requires --counters or --table ranks; kernels are always timed on this machine");
  if (options.counters) return bench_counters(options);
  if (!options.table.empty()) return table(options);
  check_measuring(options);
  const std::optional<Baseline> old = options.baseline.empty() ? std::nullopt : std::optional(read(options.baseline));
  if (old) {
    const auto here = BenchEnvironment::here(measure_options(options));
    const std::string difference = old->environment.difference(here);
    PARITY_CHECK(difference.empty(), unsupported,
                 "baseline {} was measured in another environment ({}); measure a baseline on this machine with --save",
                 options.baseline, difference);
  }
  ProgressBar bar("timing", options.quiet);
  MeasureOptions wanted = measure_options(options);
  wanted.progress = progress_on(bar);
  const Baseline now = measure(wanted);
  bar.pause();
  const Baseline before = old ? asked_of(*old, measure_options(options)) : Baseline{};
  if (now.rows.empty() && before.rows.empty()) {
    bar.pause();
    return no_case_matches(options);
  }
  print(now);
  const bool wrong = std::any_of(now.rows.begin(), now.rows.end(), [](const auto& row) { return !row.why.empty(); });
  write_document(options.save, "bench", wrong ? broken : holds, to_json(now));
  const int status = old ? judged(benches::compare(before, now)) : holds;
  return wrong ? broken : status;
}

int bench_compare(const BenchOptions& options) {
  return judged(benches::compare(read(options.compared[0]), read(options.compared[1])));
}

int bench_study(const BenchOptions& options) {
  PARITY_CHECK(options.pairs >= 1, usage, "--pairs {} is too few; use 1 or more", options.pairs);
  ProgressBar bar("studying the gate", options.quiet);
  constexpr const char* kCase = "rms_norm/tokens-1/f32/cpu";
  bool kept = true;
  const auto hold = [&](const std::string& lane, const Study& study, double floor) {
    bar.note(lane);
    bar.pause();
    print(lane.c_str(), study);
    if (!study.keeps(floor))
      fmt::print(
          "FAIL  {}: at most 1% of pairs of equal kernels may be called slower, at least {:.0f}% of pairs with a "
          "slowed kernel must be found\n",
          lane, 100.0 * floor);
    kept &= study.keeps(floor);
  };
  for (const double noise : {0.01, 0.02, 0.05})  // noise may leave the gate undecided, but must not make it wrong
    hold(fmt::format("drawn, {:.0f}% noise", 100.0 * noise), simulated_study(options.pairs, options.slowdown, noise),
         0.0);
  hold("wall clock", measured_study(kCase, options.pairs, options.slowdown), kFoundByClock);
  try {
    const std::string program = measure_options(options).program;
    hold("instructions", counted_study(program, kCase, options.pairs, options.slowdown), kFoundByCount);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::device) throw;
    fmt::print("NOT SHOWN  instructions: {}\n", error.what());
    return kept ? device_absent : broken;
  }
  return kept ? holds : broken;
}

}  // namespace parity::cli

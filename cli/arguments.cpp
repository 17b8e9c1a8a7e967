// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/arguments.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/plans/published_configs.hpp"

namespace parity::cli {
namespace {

/// A sign would be read as a huge number, and of a huge one the last digits alone.
CLI::Option* add_seed(CLI::App& c, uint64_t& seed, const char* help) {
  return c.add_option("--seed", seed, help)->capture_default_str()->check([](const std::string& text) {
    constexpr size_t kDigits = 9;  // of what fits into the cases of every study
    const bool fits = text.find_first_not_of("0123456789") == std::string::npos && text.size() <= kDigits;
    return fits ? std::string() : fmt::format("{} is no seed; use a whole number of at most {} digits", text, kDigits);
  });
}

const std::string kPublished = fmt::format("{}", fmt::join(published_names(), " | "));

/// Sizes of a synthetic golden; `needed`, if any, is the option without which they make no sense.
std::vector<CLI::Option*> add_sizes(CLI::App& c, SynthesizeOptions& s, CLI::Option* needed = nullptr) {
  std::vector<CLI::Option*> sizes;
  const auto add = [&](const char* name, auto& target, const char* help) {
    sizes.push_back(c.add_option(name, target, help)->capture_default_str());
    if (needed != nullptr) sizes.back()->needs(needed);
  };
  add("--layers", s.layers, "Layers of the published model");
  add("--words", s.words, "Vocabulary in the place of the published one");
  add("--dtype", s.dtype, "bf16 | f32 | f64");
  add("--batch", s.batch, "Sequences");
  add("--tokens", s.tokens, "Tokens of the prefill");
  add("--decode", s.decode, "Decode steps behind it");
  CLI::Option* seed = add_seed(c, s.seed, "Of weights and tokens");
  if (needed != nullptr) seed->needs(needed);
  return sizes;
}

void add_run(CLI::App& app, RunOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("run", "Replay goldens and judge a candidate");
  CLI::Option* goldens = c->add_option("goldens", o.goldens, "Golden folders or activations.h5 files");
  CLI::Option* synthetic =
      c->add_option("--synthetic", o.synthetic.published,
                    "Instead of goldens: layers of " + kPublished + " at the published size, weights drawn");
  goldens->excludes(synthetic);
  const auto sizes = add_sizes(*c, o.synthetic, synthetic);
  auto* cases = c->add_option("--cases", o.cases, "So many models of drawn sizes, boundary shapes first")
                    ->needs(synthetic)
                    ->check(CLI::PositiveNumber);
  auto* only = c->add_option("--case", o.only_case, "One of them, as a failing line names it");
  only->needs(synthetic)->excludes(cases);
  for (CLI::Option* size : sizes) {  // a drawn model has sizes of its own
    cases->excludes(size);
    only->excludes(size);
  }
  c->add_option("--candidate", o.candidate,
                "Whose values are judged: golden | reference | cpu | cpu:fused | torch | fault:ID | cpu+fault:ID | "
                "capture:FILE");
  c->add_option("--inputs", o.inputs,
                "Of a capture's nodes: own (its taps, or what follows from them) | golden (single kernels)")
      ->capture_default_str();
  c->add_option("--nothing", o.nothing, "Scores of a capture at or below this number stand for -inf: -3.4e38");
  c->add_option("--require", o.required,
                "Taps (a glob with a slash) or components that must have been judged, else parity is not shown")
      ->allow_extra_args(false);
  c->add_option("--mode", o.mode,
                "isolated | chained | forced (default: isolated, then chained for f32/f64, forced for bf16)");
  c->add_option("--policy", o.policy,
                "bits | bounds: whether right values that round differently pass (default: bits of goldens and the "
                "reference, bounds of everything else)");
  c->add_option("--accept", o.accept,
                "JSON list of deviations that are lived with: tap (glob), fault or factor, reason, date");
  c->add_option("--select", o.select, "Judge only taps that match this glob")->capture_default_str();
  c->add_option("--profile", o.profile, "Semantics to hold the golden to, instead of its own");
  c->add_option(
       "--assume", o.assume,
       "Judge against the reference with this fault (parity list faults), COMPONENT.EDIT@GLOB or profile:NAME; "
       "may be repeated")
      ->take_all();
  c->add_option("--json", o.json, "Write report.json here (- = stdout)");
  c->add_option("--save", o.save, "Write the candidate's own run as a capture, which --candidate capture:FILE judges");
  c->add_option("--junit", o.junit, "Write JUnit XML here");
  c->add_option("--markdown", o.markdown, "Write a Markdown summary here");
  c->add_option("--manifest", o.manifest, "What has to be judged: less is not green");
  c->add_option("--write-manifest", o.write_manifest,
                "Write what a green run judged, calls and layers together; with --taps tap by tap");
  c->add_flag("--taps", o.taps, "Print a line per tap");
  c->add_flag("--bit-equal", o.bit_equal, "Print the bit-equal share by tap name");
  c->add_flag("--quiet", o.quiet, "No progress");
  c->add_flag("--explain,!--no-explain", o.explain, "Look for a known fault behind the first divergence (default)");
  c->footer(
      "Examples:\n  parity run golden/data/*/\n  parity run golden/data/m3-text-bf16 --candidate capture:mine.h5 "
      "--json "
      "report.json\n"
      "  parity run golden/data/m3-text-bf16 --select '*/moe/*' --mode isolated --taps\n"
      "  parity run --synthetic m3 --layers 3 --tokens 2304 --mode isolated");
  c->callback([&] { action = [&] { return run(o); }; });
}

void add_golden(CLI::App& app, GoldenOptions& o, SynthesizeOptions& s, Action& action) {
  CLI::App* c = app.add_subcommand("golden", "Look into goldens");
  c->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, int (*command)(const GoldenOptions&)) {
    CLI::App* sub = c->add_subcommand(name, help);
    sub->add_option("paths", o.paths, "Golden folders or activations.h5 files")->required();
    const std::string listed = std::string(name) == "ls" ? "datasets" : std::string(name) == "names" ? "tensors" : "";
    if (!listed.empty()) sub->add_option("--select", o.select, "Glob over " + listed)->capture_default_str();
    sub->callback([&action, &o, command] { action = [&o, command] { return command(o); }; });
  };
  add("verify", "Is it whole, and what its format promises?", &golden_verify);
  add("info", "Facts, calls and checksums", &golden_info);
  add("ls", "Its datasets", &golden_ls);
  add("names", "Its tensors as published, and where transformers holds them", &golden_names);
  CLI::App* make =
      c->add_subcommand("synthesize", "Write a golden from the reference itself (for sizes no capture covers)");
  make->add_option("out", s.out, "Folder to write")->required();
  make->add_option("--config", s.config, "config.json (default: a small built-in one)");
  make->add_option("--published", s.published, kPublished + ": published sizes, weights drawn when they are needed");
  make->add_flag("--drawn", s.drawn,
                 "Write checkpoint/synthetic.json, what the weights are drawn from, instead of them");
  make->add_option("--profile", s.profile, "Default: the newest of the system");
  add_sizes(*make, s);
  make->callback([&] { action = [&] { return golden_synthesize(s); }; });
}

void add_capture(CLI::App& app, CaptureOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("capture", "Captures of your own engine");
  c->require_subcommand(1);
  CLI::App* init = c->add_subcommand("init", "An empty capture of a golden's calls, for a script to fill");
  init->add_option("golden", o.golden, "Its tokens, config and taps")->required();
  init->add_option("out", o.out, "File to write")->required();
  init->add_option("--only", o.only, "Glob: offer these taps alone (of a single kernel, say)")->allow_extra_args(false);
  init->add_option("--without", o.without, "Glob: taps that your engine does not compute")->allow_extra_args(false);
  init->add_flag("--no-padding", o.no_padding, "Your engine computes nothing at padding");
  init->footer(
      "Examples:\n  parity capture init golden/data/m3-text-bf16 mine.h5 --without '*/loss' --no-padding\n"
      "  parity capture init golden/data/m3-text-bf16 norms.h5 --only '*_norm/out'\n"
      "The script that fills it: docs/golden-format.md, 5d; examples/capture_h5py.py");
  init->callback([&] { action = [&] { return capture_init(o); }; });
}

void add_generate(CLI::App& app, GenerateOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("generate", "Continue prompts greedily, token by token against the package's own");
  c->add_option("files", o.files, "JSON: checkpoint, profile, prompt, and tokens (recorded) or count")->required();
  c->footer(
      "Examples:\n  parity generate golden/generation/*.json\n"
      "  golden/capture/generate_hf.py --help    # records such a file");
  c->callback([&] { action = [&] { return generate(o); }; });
}

void add_look(CLI::App& app, ListOptions& l, ShowOptions& s, DiffOptions& d, Action& action) {
  CLI::App* list_command =
      app.add_subcommand("list", "Components, kernels, profiles, statuses, goldens, or what the goldens cover");
  list_command
      ->add_option("what", l.what, "components | kernels | profiles | statuses | goldens | coverage | faults | tiles")
      ->capture_default_str();
  list_command->add_option("root", l.root, "Folder of goldens");
  list_command->footer(
      "Examples:\n  parity list\n  parity list kernels\n  parity list faults\n  parity list goldens golden/cut\n"
      "  parity list coverage");
  list_command->callback([&] { action = [&] { return list(l); }; });
  CLI::App* show_command = app.add_subcommand("show", "A component, a fusion, a fault, a golden, or a tap of a golden");
  show_command->add_option("what", s.what, "Component, fusion, fault, path, or tap with --golden")->required();
  show_command->add_option("--golden", s.golden, "Golden whose plan is asked; needed when WHAT is a tap");
  show_command->footer(
      "Examples:\n  parity show rms_norm\n  parity show steps/000/text/layers/01/moe/out --golden "
      "golden/data/m3-text-bf16");
  show_command->callback([&] { action = [&] { return show(s); }; });
  CLI::App* diff_command = app.add_subcommand("diff", "Two captures, no kernels: the first layer that diverges");
  diff_command->add_option("left", d.left, "activations.h5 or golden folder")->required();
  diff_command->add_option("right", d.right, "activations.h5 or golden folder")->required();
  diff_command->add_option("--select", d.select, "Glob over datasets")->capture_default_str();
  diff_command->add_option("--rtol", d.rtol, "Largest relative difference that counts as equal")->capture_default_str();
  diff_command->add_option("--json", d.json, "Write the result as JSON (- = stdout)");
  diff_command->callback([&] { action = [&] { return diff(d); }; });
}

/// One case, or one report, again.
void add_again(CLI::App& app, ReproOptions& r, ReportOptions& p, Action& action) {
  CLI::App* repro_command = app.add_subcommand("repro", "Judge one case again, as a failing line names it");
  repro_command->add_option("case", r.case_id, "GOLDEN#TAP: a golden folder and one of its taps")->required();
  repro_command
      ->add_option("--candidate", r.candidate,
                   "Whose values are judged: golden | reference | cpu | cpu:fused | torch | fault:ID | cpu+fault:ID | "
                   "capture:FILE")
      ->capture_default_str();
  repro_command->add_option("--mode", r.mode, "isolated | chained | forced")->capture_default_str();
  repro_command->add_option("--policy", r.policy, "bits | bounds, as of run");
  repro_command->add_option("--inputs", r.inputs, "Of a capture's nodes: own | golden")->capture_default_str();
  repro_command->add_option("--nothing", r.nothing, "Scores of a capture at or below this number stand for -inf");
  repro_command->add_option("--profile", r.profile, "Semantics to hold the golden to, instead of its own");
  repro_command->callback([&] { action = [&] { return repro(r); }; });
  CLI::App* report_command = app.add_subcommand("report", "Render a report.json again");
  report_command->add_option("format", p.format, "markdown | junit | json | terminal | check")->required();
  report_command->add_option("file", p.file, "report.json")->required();
  report_command->add_option("--out", p.out, "File (- = stdout)")->capture_default_str();
  report_command->callback([&] { action = [&] { return report(p); }; });
}

/// Whether the judge itself can be trusted.
void add_selftest(CLI::App& app, SelftestOptions& t, Action& action) {
  CLI::App* c = app.add_subcommand("selftest", "Plant every known fault and see whether the judge notices");
  c->add_option("goldens", t.goldens, "Goldens to plant them on (default: the embedded ones)");
  c->add_option("--faults", t.faults, "Glob over fault ids (parity list faults)")->capture_default_str();
  auto* candidate = c->add_option("--candidate", t.candidate,
                                  "Plant them around the kernels of a backend: cpu | cpu:fused | torch (default: the "
                                  "reference)");
  c->add_flag("--every-fixture", t.every_fixture, "Plant each fault on every golden, not until one shows it clearly");
  auto* judges =
      c->add_flag("--judges", t.judges, "Show what published predicates of other projects make of the same candidates");
  auto* guards = c->add_flag("--guards", t.guards,
                             "Run every kernel of the registry under guards: what it writes, keeps, and repeats");
  guards->excludes(judges)->excludes(candidate);
  c->add_option("--engines", t.engines,
                "Folder with goldens/, captures/ and truth.json: captures of engines, and what is true of them")
      ->excludes(judges)
      ->excludes(guards)
      ->excludes(candidate);
  c->add_option("--components", t.components, "With --guards: globs over the kernels' components (default: all)")
      ->needs(guards);
  auto* corruptions = c->add_option("--corruptions", t.corruptions,
                                    "Corrupt so many recordings at random in the place of planting faults")
                          ->excludes(judges)
                          ->excludes(guards);
  c->add_option("--value-corruptions", t.value_corruptions,
                "Damage the values of so many taps in known ways; the kind has to be named (--faults: glob over kinds)")
      ->excludes(judges)
      ->excludes(guards)
      ->excludes(candidate)
      ->excludes(corruptions);
  c->add_flag("--leave-one-out", t.leave_one_out,
              "Take each fault out of the catalogue in turn, plant it, and describe it by fitting")
      ->excludes(judges)
      ->excludes(guards)
      ->excludes(candidate)
      ->excludes(corruptions);
  c->add_flag("--explain", t.explain, "Look for a known fault behind each; with --corruptions there is none");
  c->add_option("--false-alarms", t.false_alarms,
                "Run so many correct kernels of another order of operations; none may be accused")
      ->excludes(candidate);
  c->add_flag("--own-roundings", t.own_roundings,
              "With --false-alarms: kernels that leave out some of the oracle's roundings, judged by bounds");
  c->add_option("--damaged-captures", t.damaged_captures,
                "Judge so many captures that were misspelt, cut short, mixed up or never filled; none may be green")
      ->excludes(judges)
      ->excludes(guards);
  c->add_flag("--calibration", t.calibration,
              "With --false-alarms: the seeds that tolerances may be looked at with, not the gate's");
  add_seed(*c, t.seed, "Of --corruptions, --value-corruptions, --false-alarms and --damaged-captures");
  c->add_option("--json", t.json, "Write the result as JSON");
  c->footer(
      "Examples:\n  parity selftest\n  parity selftest --candidate cpu --explain\n  parity selftest --every-fixture "
      "--faults 'rms_norm-*'\n"
      "  parity selftest --guards --components rms_norm 'attention*'\n"
      "  parity selftest --false-alarms 10000\n  parity selftest --corruptions 300 --explain\n"
      "  parity selftest --value-corruptions 300 --seed 4");
  c->callback([&] { action = [&] { return selftest(t); }; });
}

/// What is behind a failure, and what can be known without a golden.
void add_faults(CLI::App& app, ExplainOptions& x, RelationsOptions& l, Action& action) {
  CLI::App* explain_command = app.add_subcommand("explain", "Which known fault is behind a failure");
  explain_command->add_option("what", x.what, "GOLDEN, GOLDEN#TAP or a report.json")->required();
  explain_command->add_option("tap", x.tap, "With a report.json: a failing tap (default: the first divergence)");
  explain_command
      ->add_option("--candidate", x.candidate,
                   "golden | reference | cpu | cpu:fused | torch | fault:ID | cpu+fault:ID | capture:FILE")
      ->capture_default_str();
  explain_command->add_option("--profile", x.profile, "Instead of the golden's own");
  explain_command->callback([&] { action = [&] { return explain(x); }; });
  CLI::App* relations_command =
      app.add_subcommand("relations", "What runs of one model must have in common; needs no golden");
  auto* candidate =
      relations_command
          ->add_option("--candidate", l.candidate, "What is tried, in f32: reference | cpu | torch | fault:ID")
          ->capture_default_str();
  auto* fault =
      relations_command->add_option("--fault", l.fault, "The same as --candidate fault:ID")->excludes(candidate);
  relations_command->add_flag("--faults", l.faults, "Count the known faults that break a relation")
      ->excludes(candidate)
      ->excludes(fault);
  add_seed(*relations_command, l.seed, "Of weights and tokens");
  relations_command->callback([&] { action = [&] { return relations(l); }; });
}

void add_bisect(CLI::App& app, BisectOptions& b, EngineOptions& e, Action& action) {
  CLI::App* bisect_command =
      app.add_subcommand("bisect", "The first faulty node of a candidate of which only the end is compared");
  bisect_command->add_option("golden", b.golden, "Its inputs are the candidate's")->required();
  CLI::Option* fault = bisect_command->add_option("--fault", b.fault, "Planted in the candidate (parity list faults)");
  CLI::Option* command = bisect_command->add_option(
      "--engine", b.engine, "COMMAND IN.h5 OUT.h5 continues from the taps of IN.h5 (docs/engines.md)");
  command->excludes(fault);
  bisect_command->add_option("--at", b.at, "Only at nodes that match this glob");
  bisect_command->add_option("--end", b.end, "Tap that is compared (default: the last)");
  bisect_command->add_flag("--stop", b.stop, "The engine runs from the tokens and stops at a cut")->needs(command);
  bisect_command->add_option("--probe", b.probe, "Only the cut in front of this node")->needs(command);
  bisect_command->add_option("--keep", b.keep, "Folder for what the engine is given and gives")->needs(command);
  bisect_command->add_option("--timeout", b.timeout_s, "Seconds for each run of the engine")
      ->capture_default_str()
      ->needs(command);
  bisect_command->callback([&] { action = [&] { return b.engine.empty() ? bisect(b) : bisect_engine(b); }; });
  CLI::App* engine_command = app.add_subcommand("engine", "The reference as an engine of bisect --engine");
  engine_command->add_option("golden", e.golden, "Configuration and checkpoint")->required();
  engine_command->add_option("in", e.in, "What bisect wrote")->required();
  engine_command->add_option("out", e.out, "Where the wanted taps go")->required();
  engine_command->add_option("--fault", e.fault, "Planted in it (parity list faults)");
  engine_command->add_option("--at", e.at, "Only at nodes that match this glob");
  engine_command->add_flag("--layers-only", e.layers_only, "Refuse boundaries inside a layer");
  engine_command->callback([&] { action = [&] { return engine(e); }; });
}

void add_battery(CLI::App& app, BatteryOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("battery", "A kernel alone on drawn cases, boundary shapes first");
  c->add_option("components", o.components, "Globs (default: every component of which cases are drawn)");
  c->add_option("--kernel", o.kernel, "correct | reference | cpu | cpu:fused | torch | torch:mask | fault:ID")
      ->capture_default_str();
  auto* cases = c->add_option("--cases", o.cases, "Of each component and type")
                    ->capture_default_str()
                    ->check(CLI::PositiveNumber);
  add_seed(*c, o.seed, "Of the cases");
  c->add_option("--case", o.only, "This case alone, as a failing line names it")->excludes(cases);
  c->add_option("--lanes", o.lanes,
                "boundary, anywhere, special, exact, large (default: all, the first half of the cases)")
      ->delimiter(',');
  c->add_option("--large", o.large,
                "Of each component and type with rows enough to be shared out (backends, or --lanes)")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_flag("--faults", o.faults, "Count the known faults that fail a case");
  c->add_option("--json", o.json, "Write the result as JSON (- = stdout)");
  c->add_flag("--quiet", o.quiet, "No progress");
  c->footer(
      "Examples:\n  parity battery --kernel cpu --lanes exact\n  parity battery rms_norm --kernel "
      "fault:rms_norm-without-one\n"
      "  parity battery --faults --cases 20\n  parity battery --case rms_norm:bf16:boundary:17:S1,H3");
  c->callback([&] { action = [&] { return battery(o); }; });
}

void add_bench(CLI::App& app, BenchOptions& o, Action& action) {
  CLI::App* c =
      app.add_subcommand("bench", "Time kernels that are right; the table SDPA against MSA; the regression gate");
  c->add_option("select", o.select, "Glob over cases: component/case/type/backend")->capture_default_str();
  CLI::Option* table = c->add_option(
      "--table", o.table, "sdpa-msa: by context length, prefill and decode; top-k: own selection against LibTorch's");
  c->add_option("--most", o.most, "Context length of the table's last row")->capture_default_str()->needs(table);
  c->add_option("--seconds", o.seconds, "Budget of the table: rows that do not fit are left out")
      ->capture_default_str()
      ->needs(table);
  c->add_option("--batch", o.batches, "Sequences, for the table")->delimiter(',')->capture_default_str()->needs(table);
  c->add_option("--heads", o.heads, "Query, key and index heads of the table (default: 16,1,1; in decode 64,4,4)")
      ->delimiter(',')
      ->needs(table);
  c->add_option("--phase", o.phases, "decode | prefill (default: both)")->delimiter(',')->needs(table);
  c->add_option("--dtype", o.dtype, "bf16 | f32, for the table")->capture_default_str()->needs(table);
  c->add_option("--selection", o.selection, "model | sticky | random: the blocks that MSA is timed with")
      ->capture_default_str()
      ->needs(table);
  c->add_option("--json", o.json, "Write the table as JSON (- = stdout)")->needs(table);
  c->add_option("--markdown", o.markdown, "Write the table as Markdown")->needs(table);
  c->add_option("--svg", o.svg, "Write the table's curves")->needs(table);
  c->add_option("--backend", o.backend, "Glob: cpu, torch")->capture_default_str()->excludes(table);
  c->add_option("--samples", o.samples, "Of each of two passes")->capture_default_str()->excludes(table);
  c->add_flag("--cold", o.cold, "Operands out of the caches before every call")->excludes(table);
  c->add_flag("--instructions", o.instructions, "Count instructions too (callgrind; kernels at their AVX2 level)")
      ->excludes(table);
  c->add_option("--save", o.save, "Write the measurements here: a baseline")->excludes(table);
  c->add_option("--baseline", o.baseline, "Compare with this file")->excludes(table);
  add_seed(*c, o.seed, "Of the operands (0: new ones every time)");
  c->add_flag("--quiet", o.quiet, "No progress");
  c->add_option("--counted", o.counted, "Run this case for callgrind")->group("");
  c->add_option("--calls", o.calls, "")->group("");
  c->add_option("--extra", o.extra, "")->group("");
  c->callback([&] {
    if (!action) action = [&] { return bench(o); };
  });
  CLI::App* compare = c->add_subcommand("compare", "Two files of --save: same, faster, slower or inconclusive");
  compare->add_option("files", o.compared, "OLD NEW")->required()->expected(2);
  compare->callback([&] { action = [&] { return bench_compare(o); }; });
  CLI::App* study = c->add_subcommand("study", "How often the gate is wrong: equal kernels, and slowed ones");
  study->add_option("--pairs", o.pairs, "Of each kind")->capture_default_str();
  study->add_option("--slowdown", o.slowdown, "Injected")->capture_default_str();
  study->callback([&] { action = [&] { return bench_study(o); }; });
  c->footer(
      "Examples:\n  parity bench --table sdpa-msa --most 8192 --markdown table.md --svg table.svg\n"
      "  parity bench 'rms_norm/*' --save base.json\n  parity bench 'rms_norm/*' --baseline base.json");
}

void add_doctor(CLI::App& app, Action& action) {
  CLI::App* c = app.add_subcommand("doctor", "What this machine offers");
  c->callback([&] { action = [] { return doctor(); }; });
}

}  // namespace

void add_commands(CLI::App& app, AllOptions& o, Action& action) {
  add_run(app, o.run, action);
  add_look(app, o.list, o.show, o.diff, action);
  add_golden(app, o.golden, o.synthesize, action);
  add_capture(app, o.capture, action);
  add_generate(app, o.generate, action);
  add_again(app, o.repro, o.report, action);
  add_selftest(app, o.selftest, action);
  add_faults(app, o.explain, o.relations, action);
  add_bisect(app, o.bisect, o.engine, action);
  add_battery(app, o.battery, action);
  add_bench(app, o.bench, action);
  add_doctor(app, action);
}

}  // namespace parity::cli

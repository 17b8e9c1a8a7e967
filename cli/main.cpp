// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The program: arguments to options, errors to exit codes.
#include <functional>
#include <new>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/plans/published_configs.hpp"
#include "core/text.hpp"

namespace parity::cli {
namespace {

using Action = std::function<int()>;

const std::string kPublished = fmt::format("{}", fmt::join(published_names(), " | "));

constexpr const char* kExitCodes =
    "Exit codes: 0 parity holds; 1 broken, mistrusted, unimplemented or different; 2 usage;\n"
    "3 golden missing or damaged; 4 device or library absent; 5 nothing ran; 70 internal.";

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return usage;
    case ErrorCode::unsupported:
      return broken;
    case ErrorCode::device:
      return device_absent;
    case ErrorCode::internal:
      return internal_error;
    case ErrorCode::not_found:
    case ErrorCode::schema:
    case ErrorCode::checksum:
    case ErrorCode::io:
      return golden_damaged;
  }
  return internal_error;
}

/// Sizes of a synthetic golden; `needed`, if any, is the option without which they make no sense.
void add_sizes(CLI::App& c, SynthesizeOptions& s, CLI::Option* needed = nullptr) {
  const auto add = [&](const char* name, auto& target, const char* help) {
    CLI::Option* option = c.add_option(name, target, help)->capture_default_str();
    if (needed != nullptr) option->needs(needed);
  };
  add("--layers", s.layers, "Layers of the published model");
  add("--words", s.words, "Vocabulary in the place of the published one");
  add("--dtype", s.dtype, "bf16 | f32 | f64");
  add("--batch", s.batch, "Sequences");
  add("--tokens", s.tokens, "Tokens of the prefill");
  add("--decode", s.decode, "Decode steps behind it");
  add("--seed", s.seed, "Of weights and tokens");
}

void add_run(CLI::App& app, RunOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("run", "Replay goldens and judge a candidate");
  CLI::Option* goldens = c->add_option("goldens", o.goldens, "Golden folders or activations.h5 files");
  CLI::Option* synthetic =
      c->add_option("--synthetic", o.synthetic.published,
                    "Instead of goldens: layers of " + kPublished + " at the published size, weights drawn");
  goldens->excludes(synthetic);
  add_sizes(*c, o.synthetic, synthetic);
  c->add_option("--candidate", o.candidate, "Whose values are judged: golden | reference | capture:FILE");
  c->add_option("--mode", o.mode,
                "isolated | chained | forced (default: isolated, then chained for f32/f64, forced for bf16)");
  c->add_option("--select", o.select, "Judge only taps that match this glob")->capture_default_str();
  c->add_option("--profile", o.profile, "Semantics to hold the golden to, instead of its own");
  c->add_option("--assume", o.assume, "Judge against the reference with this fault (parity list faults)");
  c->add_option("--json", o.json, "Write report.json here (- = stdout)");
  c->add_option("--junit", o.junit, "Write JUnit XML here");
  c->add_option("--markdown", o.markdown, "Write a Markdown summary here");
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
  list_command->add_option("what", l.what, "components | kernels | profiles | statuses | goldens | coverage | faults")
      ->capture_default_str();
  list_command->add_option("root", l.root, "Folder of goldens");
  list_command->callback([&] { action = [&] { return list(l); }; });
  CLI::App* show_command = app.add_subcommand("show", "A component, a golden, or a tap of a golden");
  show_command->add_option("what", s.what, "Component, path, or tap with --golden")->required();
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

struct AllOptions {
  RunOptions run;
  GoldenOptions golden;
  SynthesizeOptions synthesize;
  GenerateOptions generate;
  ListOptions list;
  ShowOptions show;
  DiffOptions diff;
  ReproOptions repro;
  ReportOptions report;
  SelftestOptions selftest;
  ExplainOptions explain;
  BisectOptions bisect;
  EngineOptions engine;
  RelationsOptions relations;
};

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

void add_rest(CLI::App& app, AllOptions& o, Action& action) {
  ReproOptions& r = o.repro;
  ReportOptions& p = o.report;
  SelftestOptions& t = o.selftest;
  ExplainOptions& x = o.explain;
  CLI::App* repro_command = app.add_subcommand("repro", "Judge one case again, as a failing line names it");
  repro_command->add_option("case", r.case_id, "GOLDEN#TAP: a golden folder and one of its taps")->required();
  repro_command->add_option("--candidate", r.candidate, "Whose values are judged: golden | reference | capture:FILE")
      ->capture_default_str();
  repro_command->add_option("--mode", r.mode, "isolated | chained | forced")->capture_default_str();
  repro_command->add_option("--profile", r.profile, "Semantics to hold the golden to, instead of its own");
  repro_command->callback([&] { action = [&] { return repro(r); }; });
  CLI::App* report_command = app.add_subcommand("report", "Render a report.json again");
  report_command->add_option("format", p.format, "markdown | junit | json | terminal | check")->required();
  report_command->add_option("file", p.file, "report.json")->required();
  report_command->add_option("--out", p.out, "File (- = stdout)")->capture_default_str();
  report_command->callback([&] { action = [&] { return report(p); }; });
  CLI::App* selftest_command =
      app.add_subcommand("selftest", "Plant every known fault and see whether the judge notices");
  selftest_command->add_option("goldens", t.goldens, "Goldens to plant them on (default: the embedded ones)");
  selftest_command->add_option("--faults", t.faults, "Glob over fault ids (parity list faults)")->capture_default_str();
  selftest_command->add_flag("--every-fixture", t.every_fixture,
                             "Plant each fault on every golden, not until one shows it clearly");
  auto* judges = selftest_command->add_flag(
      "--judges", t.judges, "Show what published predicates of other projects make of the same candidates");
  auto* guards = selftest_command->add_flag(
      "--guards", t.guards, "Run every kernel of the registry under guards: what it writes, keeps, and repeats");
  guards->excludes(judges);
  selftest_command
      ->add_option("--corruptions", t.corruptions,
                   "Corrupt so many recordings at random in the place of planting faults")
      ->excludes(judges)
      ->excludes(guards);
  selftest_command->add_flag("--explain", t.explain,
                             "With --corruptions: look for a known fault behind each; there is none");
  selftest_command->add_option("--false-alarms", t.false_alarms,
                               "Run so many correct kernels of another order of operations; none may be accused");
  selftest_command->add_flag("--calibration", t.calibration,
                             "With --false-alarms: the seeds that tolerances may be looked at with, not the gate's");
  selftest_command->add_option("--seed", t.seed, "Of --corruptions and --false-alarms")->capture_default_str();
  selftest_command->add_option("--json", t.json, "Write the result as JSON");
  selftest_command->callback([&] { action = [&] { return selftest(t); }; });
  CLI::App* explain_command = app.add_subcommand("explain", "Which known fault is behind a failure");
  explain_command->add_option("what", x.what, "GOLDEN, GOLDEN#TAP or a report.json")->required();
  explain_command->add_option("tap", x.tap, "With a report.json: a failing tap (default: the first divergence)");
  explain_command->add_option("--candidate", x.candidate, "golden | reference | capture:FILE")->capture_default_str();
  explain_command->add_option("--profile", x.profile, "Instead of the golden's own");
  explain_command->callback([&] { action = [&] { return explain(x); }; });
  add_bisect(app, o.bisect, o.engine, action);
  RelationsOptions& l = o.relations;
  CLI::App* relations_command =
      app.add_subcommand("relations", "What runs of one model must have in common; needs no golden");
  relations_command->add_option("--fault", l.fault, "Planted in the model (parity list faults)");
  relations_command->add_flag("--faults", l.faults, "Count the known faults that break a relation");
  relations_command->add_option("--seed", l.seed, "Of weights and tokens")->capture_default_str();
  relations_command->callback([&] { action = [&] { return relations(l); }; });
  CLI::App* doctor_command = app.add_subcommand("doctor", "What this machine offers");
  doctor_command->callback([&] { action = [] { return doctor(); }; });
}

/// CLI11 names the unknown word; we add the nearest known one.
std::string hint(const CLI::App& app, int argc, char** argv) {
  const CLI::App* scope = &app;
  int first = 1;  // word behind the commands that were understood
  for (; !scope->get_subcommands().empty(); ++first) scope = scope->get_subcommands().front();
  std::vector<std::string> names;
  for (const CLI::Option* option : scope->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const auto commands = scope->get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  for (int i = first; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    const bool meant = word.starts_with("--") || !commands.empty();
    if (meant && std::find(names.begin(), names.end(), word) == names.end()) return did_you_mean(word, names);
  }
  return {};
}

int guarded(const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    const bool ours = error.code() == ErrorCode::internal;
    complain(error.what() + (ours ? fmt::format(" (at {}:{}; this is a defect of parity, please report it)",
                                                error.location().file_name(), error.location().line())
                                  : std::string()));
    return exit_code_of(error.code());
  } catch (const std::bad_alloc&) {
    complain("out of memory; replay fewer goldens at once or use a machine with more");
    return internal_error;
  } catch (const std::exception& error) {
    complain(fmt::format("{} (this is a defect of parity, please report it)", error.what()));
    return internal_error;
  }
}

int program(int argc, char** argv) {
  CLI::App app{"parity: is a MiniMax kernel, layer or model right, and if not, where and why?", "parity"};
  app.require_subcommand(1);
  app.footer(std::string("Examples:\n  parity run golden/data/*/\n  parity diff a.h5 b.h5\n  parity golden verify "
                         "golden/data/m3-text-bf16\n") +
             kExitCodes);
  AllOptions o;
  Action action;
  o.run.command_line = fmt::format("{}", fmt::join(argv, argv + argc, " "));
  add_run(app, o.run, action);
  add_look(app, o.list, o.show, o.diff, action);
  add_golden(app, o.golden, o.synthesize, action);
  add_generate(app, o.generate, action);
  add_rest(app, o, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    complain(fmt::format("{}{}; see parity --help", error.what(), hint(app, argc, argv)));
    return usage;
  }
  return guarded(action);
}

}  // namespace
}  // namespace parity::cli

int main(int argc, char** argv) { return parity::cli::program(argc, argv); }

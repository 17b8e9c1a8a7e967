// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/words/arguments.hpp"

#include "cli/runs/choices.hpp"
#include "cli/words/command_words.hpp"
#include "core/shell.hpp"

namespace parity::cli {
namespace {

/// Adds the options that choose the goldens: folders that exist, or models of drawn sizes.
void add_models(CLI::App* c, RunOptions& o) {
  CLI::Option* goldens = c->add_option("goldens", o.goldens, "Golden folders or activations.h5 files");
  CLI::Option* synthetic = c->add_option(
      "--synthetic", o.synthetic.published,
      "Instead of goldens: layers of " + published_words() + " at the published size, with random weights");
  goldens->excludes(synthetic);
  const auto sizes = add_sizes(*c, o.synthetic, synthetic);
  auto* cases = c->add_option("--cases", o.cases, "Judge this many models of random sizes, boundary shapes first")
                    ->needs(synthetic)
                    ->check(CLI::PositiveNumber);
  auto* only = c->add_option("--case", o.only_case, "Only this case, named as in a failing line");
  only->needs(synthetic)->excludes(cases);
  for (CLI::Option* size : sizes) {  // the sizes of a drawn model are drawn
    cases->excludes(size);
    only->excludes(size);
  }
}

/// Adds the options that choose the candidate and the rules by which its values are judged.
void add_judgement(CLI::App* c, RunOptions& o) {
  c->add_option("--candidate", o.candidate, "What is judged: " + judged_values().text());
  c->add_option("--inputs", o.inputs,
                "Inputs of a capture's nodes: own (its taps, or computed from them) | golden (for single kernels)")
      ->capture_default_str();
  c->add_option("--nothing", o.nothing, "Read a capture's scores at or below this number as -inf, for example -3.4e38");
  c->add_option(
       "--require", o.required,
       "Taps (a glob with a slash) or components that must be judged; a run that leaves one of them out ends with 1")
      ->allow_extra_args(false);
  c->add_option("--mode", o.mode,
                "isolated | chained | forced (default: isolated, then chained for f32/f64, forced for bf16)");
  c->add_option("--policy", o.policy,
                "bits | bounds: with bounds, correct values that round differently pass (default: bits for goldens and "
                "the reference, bounds for all others)");
  c->add_option("--accept", o.accept, "JSON list of accepted deviations: tap (glob), fault or factor, reason, date");
  c->add_option("--select", o.select, "Judge only taps that match this glob")->capture_default_str();
  c->add_option("--profile", o.profile, "Judge by this profile instead of the golden's own");
  c->add_option(
       "--assume", o.assume,
       "Judge against the reference with this fault (parity list faults), COMPONENT.EDIT@GLOB or profile:NAME; "
       "may be repeated")
      ->take_all();
}

/// Adds the options for reports and for printed output.
void add_outputs(CLI::App* c, RunOptions& o) {
  c->add_option("--json", o.json, "Write report.json here (- = stdout)");
  c->add_option("--junit", o.junit, "Write JUnit XML here");
  c->add_option("--markdown", o.markdown, "Write a Markdown summary here");
  c->add_option("--manifest", o.manifest, "Manifest of what must be judged; a run that judges less fails");
  c->add_flag("-v,--verbose", o.verbose, "Also print the tables, every failing tap and remarks");
  c->add_flag("--taps", o.taps, "Print a line per tap");
  c->add_flag("--bit-equal", o.bit_equal, "Print the bit-equal share by tap name");
  c->add_flag("--quiet", o.quiet, "No progress");
}

/// Adds the options that add something to the report.
void add_studies(CLI::App* c, RunOptions& o) {
  c->add_flag("--power", o.power, "List the faults of the catalogue that this run would not have noticed");
  c->add_flag("--explain,!--no-explain", o.explain, "Look for the cause of the first divergence (default)");
}

/// Returns the options that were given, as text.
std::map<std::string, std::string> given(const std::vector<const CLI::Option*>& options) {
  std::map<std::string, std::string> result;
  for (const CLI::Option* option : options) {
    if (option->count() > 0) result[option->get_name()] = shell_line(option->results());
  }
  return result;
}

void add_run(CLI::App& app, RunOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("run", "Replay goldens and judge a candidate");
  add_models(c, o);
  add_judgement(c, o);
  add_layout(c, o.layout);
  add_studies(c, o);
  const std::vector<const CLI::Option*> judging = std::as_const(*c).get_options();
  c->add_option("--shard", o.shard, "Judge a part of the goldens, for example 2/4; parity merge joins the reports");
  c->add_option("--save", o.save,
                "Write the candidate's own run as a capture, to be judged with --candidate capture:FILE");
  c->add_option(
      "--write-manifest", o.write_manifest,
      "Write a manifest of what a run that passes judged: counts over calls and layers, with --taps each tap");
  c->add_flag("--nccl", o.nccl, "With several ranks: add their terms with NCCL, on one GPU for each rank");
  c->add_option("--timeout", o.timeout_s, "With several ranks: if one hangs, all end after this many seconds")
      ->check(CLI::Range(0.5, 86400.0))
      ->capture_default_str();
  add_outputs(c, o);
  c->footer(
      "Examples:\n  parity run golden/data/*/\n  parity run golden/data/m3-text-bf16 --candidate capture:mine.h5 "
      "--json "
      "report.json\n"
      "  parity run golden/data/m3-text-bf16 --select '*/moe/*' --mode isolated --taps\n"
      "  parity run --synthetic m3 --layers 3 --tokens 2304 --mode isolated");
  c->callback([&o, &action, judging] {
    o.given = given(judging);
    action = [&o] { return run(o); };
  });
}

void add_merge(CLI::App& app, MergeOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("merge", "Join the reports of the shards of one run or battery (--shard)");
  c->add_option("reports", o.files, "report.json of every shard")->required();
  add_outputs(c, o.outputs);
  c->footer(
      "Example:\n  parity run golden/data/*/ --shard 1/2 --json 1.json\n"
      "  parity run golden/data/*/ --shard 2/2 --json 2.json\n  parity merge 1.json 2.json --json report.json");
  c->callback([&] { action = [&] { return merge(o); }; });
}

/// Adds --html to every command that has --json, and --sarif where there are findings on a kernel's source.
void add_renderings(CLI::App& app, Renderings& files) {
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_option_no_throw("--json") == nullptr) continue;
    command->add_option("--html", files.html, "Write the result as one HTML page here");
    const bool candidate = command->get_option_no_throw("--junit") != nullptr || command->get_name() == "battery";
    if (!candidate) continue;
    command->add_option("--sarif", files.sarif, "Write the findings as SARIF here, for the view of a code host");
    command
        ->add_option("--source", files.sources,
                     "COMPONENT=FILE: source file of a kernel, to which SARIF attaches its findings")
        ->take_all();
  }
}

}  // namespace

void add_commands(CLI::App& app, AllOptions& o, Action& action) {
  add_run(app, o.run, action);
  add_merge(app, o.merge, action);
  add_walk(app, o.walk, action);
  add_look(app, o.list, o.show, o.diff, action);
  add_golden(app, o.golden, o.values, o.synthesize, action);
  add_capture(app, o.capture, action);
  add_generate(app, o.generate, action);
  add_again(app, o.repro, o.report, action);
  add_selftest(app, o.selftest, action);
  add_faults(app, o.explain, o.relations, action);
  add_bisect(app, o.bisect, o.engine, action);
  add_battery(app, o.battery, action);
  add_bench(app, o.bench, action);
  add_gate(app, o.gate, action);
  add_plugin(app, o.plugin, action);
  add_judge(app, o.judge, action);
  add_doctor(app, action);
  add_shell(app, o.shell, action);
  add_renderings(app, o.renderings);
}

}  // namespace parity::cli

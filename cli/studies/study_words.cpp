// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/runs/choices.hpp"
#include "cli/words/command_words.hpp"

namespace parity::cli {

void add_selftest(CLI::App& app, SelftestOptions& t, Action& action) {
  CLI::App* c = app.add_subcommand("selftest", "Plant every known fault and count how many are noticed and named");
  c->add_option("goldens", t.goldens, "Goldens to plant them on (default: the embedded ones)");
  c->add_option("--faults", t.faults, "Glob over fault ids (parity list faults)")->capture_default_str();
  auto* candidate = c->add_option(
      "--candidate", t.candidate,
      "Plant the faults in the kernels of a backend: " + planted_kernels().text() + " (default: the reference)");
  c->add_flag("--every-fixture", t.every_fixture,
              "Plant each fault on every golden, not only until one shows it clearly");
  auto* judges =
      c->add_flag("--judges", t.judges, "Compare with the acceptance rules of other projects on the same candidates");
  auto* guards =
      c->add_flag("--guards", t.guards,
                  "Check every kernel for writes outside its outputs, state between calls, and repeatable results");
  guards->excludes(judges)->excludes(candidate);
  c->add_option("--engines", t.engines,
                "Judge captures of engines: a folder with goldens/, captures/ and truth.json, which says what is right")
      ->excludes(judges)
      ->excludes(guards)
      ->excludes(candidate);
  c->add_option("--components", t.components, "With --guards: globs over the kernels' components (default: all)")
      ->needs(guards);
  c->add_option("--backends", t.backends, "With --guards: globs over the kernels' backends (default: all)")
      ->needs(guards);
  auto* corruptions = c->add_option("--corruptions", t.corruptions,
                                    "Corrupt this many recordings at random, instead of planting faults")
                          ->excludes(judges)
                          ->excludes(guards);
  c->add_option("--value-corruptions", t.value_corruptions,
                "Change the values of this many taps in known ways; the kind must be named (--faults: glob over kinds)")
      ->excludes(judges)
      ->excludes(guards)
      ->excludes(candidate)
      ->excludes(corruptions);
  c->add_flag("--leave-one-out", t.leave_one_out,
              "Remove each fault from the catalogue in turn, plant it, and see whether fitting describes it")
      ->excludes(judges)
      ->excludes(guards)
      ->excludes(candidate)
      ->excludes(corruptions);
  c->add_flag("--explain", t.explain,
              "Look for the cause of each failure; with --corruptions no known fault may be named");
  c->add_option("--false-alarms", t.false_alarms,
                "Run this many correct kernels with another order of operations; none may be called wrong")
      ->excludes(candidate);
  c->add_flag("--own-roundings", t.own_roundings,
              "With --false-alarms: kernels that leave out some of the oracle's roundings, judged by bounds");
  c->add_option("--damaged-captures", t.damaged_captures,
                "Judge this many captures that were misspelt, cut short, mixed up or never filled; none may pass")
      ->excludes(judges)
      ->excludes(guards);
  c->add_option("--ranks", t.ranks,
                "Plant each fault of ranks and of messages between them this often, in random layouts")
      ->excludes(judges)
      ->excludes(guards)
      ->excludes(corruptions);
  c->add_flag("--calibration", t.calibration,
              "With --false-alarms: use the seeds reserved for developing tolerances, not those of the gate");
  add_seed(*c, t.seed, "Seed of --corruptions, --value-corruptions, --false-alarms, --damaged-captures and --ranks");
  c->add_option("--json", t.json, "Write the result as JSON");
  c->add_flag("--quiet", t.quiet, "No progress");
  c->footer(
      "Examples:\n  parity selftest\n  parity selftest --candidate cpu --explain\n  parity selftest --every-fixture "
      "--faults 'rms_norm-*'\n"
      "  parity selftest --guards --components rms_norm 'attention*'\n"
      "  parity selftest --false-alarms 10000\n  parity selftest --corruptions 300 --explain\n"
      "  parity selftest --value-corruptions 300 --seed 4");
  c->callback([&] { action = [&] { return selftest(t); }; });
}

void add_faults(CLI::App& app, ExplainOptions& x, RelationsOptions& l, Action& action) {
  CLI::App* explain_command = app.add_subcommand("explain", "Find the cause of a failure");
  explain_command->add_option("what", x.what, "GOLDEN, GOLDEN#TAP or a report.json")->required();
  explain_command->add_option("tap", x.tap, "With a report.json: a failing tap (default: the first divergence)");
  explain_command->add_option("--candidate", x.candidate, judged_values().text())->capture_default_str();
  explain_command->add_option("--profile", x.profile, "Profile to judge by, instead of the golden's own");
  add_layout(explain_command, x.layout);
  explain_command->add_flag("--quiet", x.quiet, "No progress");
  explain_command->callback([&] { action = [&] { return explain(x); }; });
  CLI::App* relations_command =
      app.add_subcommand("relations", "Check relations between runs of one model; needs no golden");
  auto* candidate =
      relations_command
          ->add_option("--candidate", l.candidate, "What computes the runs, in f32: " + related_kernels().text())
          ->capture_default_str();
  auto* fault =
      relations_command->add_option("--fault", l.fault, "The same as --candidate fault:ID")->excludes(candidate);
  relations_command->add_flag("--faults", l.faults, "Count the known faults that break a relation")
      ->excludes(candidate)
      ->excludes(fault);
  add_seed(*relations_command, l.seed, "Seed of weights and tokens");
  relations_command->add_option("--json", l.json, "Write the result as JSON");
  relations_command->add_flag("--quiet", l.quiet, "No progress");
  relations_command->callback([&] { action = [&] { return relations(l); }; });
}

void add_bisect(CLI::App& app, BisectOptions& b, EngineOptions& e, Action& action) {
  CLI::App* bisect_command =
      app.add_subcommand("bisect", "Find the first faulty node of an engine that returns only its output");
  bisect_command->add_option("golden", b.golden, "Golden that gives the inputs")->required();
  CLI::Option* fault = bisect_command->add_option(
      "--fault", b.fault, "Instead of an engine: plant this fault in the reference (parity list faults)");
  CLI::Option* command = bisect_command->add_option(
      "--engine", b.engine,
      "COMMAND IN.h5 OUT.h5 continues from the taps of IN.h5, with --stop from the tokens (docs/engines.md)");
  command->excludes(fault);
  bisect_command->add_option("--at", b.at, "Plant the fault only in nodes that match this glob");
  bisect_command->add_option("--end", b.end, "Tap to compare (default: the last)");
  bisect_command->add_flag("--stop", b.stop, "The engine starts at the tokens and stops at a node")->needs(command);
  bisect_command->add_option("--probe", b.probe, "Only start (or stop) the engine before this node")->needs(command);
  bisect_command->add_option("--keep", b.keep, "Keep the engine's input and output files in this folder")
      ->needs(command);
  bisect_command->add_option("--timeout", b.timeout_s, "Seconds for each run of the engine")
      ->capture_default_str()
      ->needs(command);
  bisect_command->add_flag("--quiet", b.quiet, "No progress");
  bisect_command->callback([&] { action = [&] { return b.engine.empty() ? bisect(b) : bisect_engine(b); }; });
  CLI::App* engine_command = app.add_subcommand("engine", "Run the reference as an engine for bisect --engine");
  engine_command->add_option("golden", e.golden, "Golden with the configuration and the checkpoint")->required();
  engine_command->add_option("in", e.in, "Input file, written by bisect")->required();
  engine_command->add_option("out", e.out, "Output file for the taps that bisect asks for")->required();
  engine_command->add_option("--fault", e.fault, "Plant this fault in the reference (parity list faults)");
  engine_command->add_option("--at", e.at, "Plant the fault only in nodes that match this glob");
  engine_command->add_flag("--layers-only", e.layers_only, "Refuse to start or stop inside a layer");
  engine_command->callback([&] { action = [&] { return engine(e); }; });
}

void add_battery(CLI::App& app, BatteryOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("battery", "Judge single kernels on random cases, boundary shapes first");
  c->add_option("components", o.components, "Globs over components (default: all that have random cases)");
  c->add_option("--kernel", o.kernel, battery_kernels().text())->capture_default_str();
  c->add_option("--binding", o.binding,
                "JSON file that says how cu:FILE or ptx:FILE is launched (default: FILE's name, .json)");
  c->add_flag("--unchecked", o.unchecked, "Do not look for races and unwritten reads in cu:FILE or ptx:FILE");
  auto* cases = c->add_option("--cases", o.cases, "Cases of each component and type")
                    ->capture_default_str()
                    ->check(CLI::PositiveNumber);
  add_seed(*c, o.seed, "Seed of the cases");
  c->add_option("--beside", o.beside, "Second backend for the same cases; prints a table of the bits that differ");
  c->add_option("--case", o.only, "Only this case, named as in a failing line")->excludes(cases);
  c->add_flag("--counters", o.counters, "With --case: count what launches of a CUDA kernel cost")->needs("--case");
  c->add_option("--lanes", o.lanes,
                "boundary, anywhere, special, exact, large (default: all; half of the cases are boundary)")
      ->delimiter(',');
  c->add_option("--large", o.large,
                "Large cases of each component and type, which use several threads (backends, or --lanes)")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_flag("--brief", o.brief, "End at the first case that fails, without reducing it");
  c->add_flag("--faults", o.faults, "Count the known faults that make a case fail");
  c->add_option("--shard", o.shard, "Judge a part of the cases, for example 2/4; parity merge joins the documents")
      ->excludes("--case")
      ->excludes("--faults")
      ->excludes("--beside");
  c->add_option("--json", o.json, "Write the result as JSON (- = stdout)");
  c->add_flag("--quiet", o.quiet, "No progress");
  c->footer(
      "Examples:\n  parity battery --kernel cpu --lanes exact\n  parity battery rms_norm --kernel "
      "fault:rms_norm-without-one\n"
      "  parity battery --kernel cu:examples/cuda/silu.cu\n"
      "  parity battery --faults --cases 20\n  parity battery --case rms_norm:bf16:boundary:17:S1,H3");
  c->callback([&] { action = [&] { return battery(o); }; });
}

}  // namespace parity::cli

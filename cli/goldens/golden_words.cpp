// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/runs/choices.hpp"
#include "cli/words/command_words.hpp"

namespace parity::cli {

namespace {

void add_golden_values(CLI::App& golden, GoldenValuesOptions& o, Action& action) {
  CLI::App* c = golden.add_subcommand("values", "Write the exact and the rounded value of recorded taps to a file");
  c->add_option("golden", o.golden, "Golden folder")->required();
  c->add_option("out", o.out, "File to write (HDF5: exact/TAP, rounded/TAP, limit/TAP)")->required();
  c->add_option("--select", o.select, "Glob over taps")->capture_default_str();
  c->add_flag("--quiet", o.quiet, "No progress");
  c->footer("Examples:\n  parity golden values golden/data/m3-text-bf16 values.h5 --select '*/q_norm/out'");
  c->callback([&] { action = [&] { return golden_values(o); }; });
}

}  // namespace

void add_golden(CLI::App& app, GoldenOptions& o, GoldenValuesOptions& v, SynthesizeOptions& s, Action& action) {
  CLI::App* c = app.add_subcommand("golden", "List, verify and create goldens");
  c->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, int (*command)(const GoldenOptions&)) {
    CLI::App* sub = c->add_subcommand(name, help);
    sub->add_option("paths", o.paths, "Golden folders or activations.h5 files")->required();
    const std::string listed = std::string(name) == "ls" ? "datasets" : std::string(name) == "names" ? "tensors" : "";
    if (!listed.empty()) sub->add_option("--select", o.select, "Glob over " + listed)->capture_default_str();
    sub->callback([&action, &o, command] { action = [&o, command] { return command(o); }; });
  };
  add("verify", "Check that a golden is complete and follows its format", &golden_verify);
  add("info", "Show attributes, calls and checksums", &golden_info);
  add("ls", "List the datasets of a golden", &golden_ls);
  add("names", "Show its tensors as published, and their names in transformers", &golden_names);
  add_golden_values(*c, v, action);
  CLI::App* make =
      c->add_subcommand("synthesize", "Write a golden computed by the reference (for sizes that are not recorded)");
  make->add_option("out", s.out, "Folder to write")->required();
  make->add_option("--config", s.config, "config.json (default: a small built-in one)");
  make->add_option("--published", s.published,
                   published_words() + ": published sizes, random weights made when they are needed");
  make->add_flag("--drawn", s.drawn, "Write the weights' seed (checkpoint/synthetic.json) instead of the weights");
  make->add_option("--profile", s.profile, "Profile to compute by (default: the newest of the system)");
  add_sizes(*make, s);
  make->callback([&] { action = [&] { return golden_synthesize(s); }; });
}

void add_capture(CLI::App& app, CaptureOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("capture", "Make a capture of your own engine");
  c->require_subcommand(1);
  CLI::App* init = c->add_subcommand("init", "Write an empty capture of a golden's calls, for a script to fill");
  init->add_option("golden", o.golden, "Golden that gives tokens, config and taps")->required();
  init->add_option("out", o.out, "File to write")->required();
  init->add_option("--only", o.only, "Glob: only these taps (for example of a single kernel)")->allow_extra_args(false);
  init->add_option("--without", o.without, "Glob: taps that your engine does not compute")->allow_extra_args(false);
  init->add_flag("--no-padding", o.no_padding, "Your engine computes nothing at padding");
  init->footer(
      "Examples:\n"
      "  parity capture init golden/data/m3-text-bf16 mine.h5 --without '*/loss' --no-padding\n"
      "  parity capture init golden/data/m3-text-bf16 norms.h5 --only '*_norm/out'\n"
      "The script that fills it: docs/captures.md; examples/capture_h5py.py");
  init->callback([&] { action = [&] { return capture_init(o); }; });
}

void add_generate(CLI::App& app, GenerateOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("generate", "Continue prompts greedily and compare each token with the package's");
  c->add_option("files", o.files, "JSON: checkpoint, profile, prompt, and tokens (recorded) or count")->required();
  c->add_flag("--quiet", o.quiet, "No progress");
  c->footer(
      "Examples:\n  parity generate golden/generation/*.json\n"
      "  golden/capture/generate_hf.py --help    # records such a file");
  c->callback([&] { action = [&] { return generate(o); }; });
}

void add_look(CLI::App& app, ListOptions& l, ShowOptions& s, DiffOptions& d, Action& action) {
  CLI::App* list_command =
      app.add_subcommand("list", "List components, kernels, profiles, faults, goldens or what the goldens cover");
  list_command
      ->add_option("what", l.what, "components | kernels | profiles | statuses | goldens | coverage | faults | tiles")
      ->capture_default_str();
  list_command->add_option("root", l.root, "Folder with goldens");
  list_command->add_option("--json", l.json, "With components: write their signatures as JSON (- = stdout)");
  list_command->footer(
      "Examples:\n  parity list\n  parity list kernels\n  parity list faults\n  parity list goldens golden/cut\n"
      "  parity list coverage");
  list_command->callback([&] { action = [&] { return list(l); }; });
  CLI::App* show_command =
      app.add_subcommand("show", "Describe a component, a fusion, a fault, a golden, or a tap of a golden");
  show_command->add_option("what", s.what, "Component, fusion, fault, path, or GOLDEN#TAP")->required();
  show_command->add_option("--golden", s.golden, "Golden of the tap, when WHAT is only a tap");
  show_command->add_option("--json", s.json, "Of a tap: write it and the call that computes it as JSON (- = stdout)");
  show_command->footer(
      "Examples:\n  parity show rms_norm\n  parity show "
      "'golden/data/m3-text-bf16#steps/000/text/layers/01/moe/out'");
  show_command->callback([&] { action = [&] { return show(s); }; });
  CLI::App* diff_command =
      app.add_subcommand("diff", "Compare two recordings without kernels: the first layer that diverges");
  diff_command->add_option("left", d.left, "activations.h5 or golden folder")->required();
  diff_command->add_option("right", d.right, "activations.h5 or golden folder")->required();
  diff_command->add_option("--select", d.select, "Glob over datasets")->capture_default_str();
  diff_command->add_option("--rtol", d.rtol, "Largest relative difference that counts as equal (0 to 1)")
      ->capture_default_str();
  diff_command->add_option("--json", d.json, "Write the result as JSON (- = stdout)");
  diff_command->callback([&] { action = [&] { return diff(d); }; });
}

void add_layout(CLI::App* c, Layout& layout) {
  c->add_option("--tp", layout.tp, "Tensor parallel: divide weights among this many ranks")->check(CLI::Range(1, 64));
  c->add_option("--ep", layout.ep, "Expert parallel: divide the experts among this many ranks")
      ->check(CLI::Range(1, 64));
  c->add_option("--cp", layout.cp, "Context parallel: divide the tokens of a sequence among this many groups of ranks")
      ->check(CLI::Range(1, 64));
  c->add_option("--dp", layout.dp, "Data parallel: divide the sequences among this many groups of ranks")
      ->check(CLI::Range(1, 64));
  c->add_option("--dispatch", layout.dispatch,
                "Divide the experts among all data-parallel groups, and send them tokens: all-to-all | all-gather")
      ->check(CLI::IsMember({kAllToAll, kAllGather}));
  c->add_option("--rules", layout.rules, "Package whose rules divide the weights: hf | vllm (default: the profile's)");
}

void add_again(CLI::App& app, ReproOptions& r, ReportOptions& p, Action& action) {
  CLI::App* repro_command = app.add_subcommand("repro", "Judge one tap again, named as in a failing line");
  repro_command->add_option("case", r.case_id, "GOLDEN#TAP: a golden folder and one of its taps")->required();
  repro_command->add_option("--candidate", r.candidate, "What is judged: " + judged_values().text())
      ->capture_default_str();
  repro_command->add_option("--mode", r.mode, "isolated | chained | forced")->capture_default_str();
  repro_command->add_option("--policy", r.policy, "bits | bounds, as in parity run");
  repro_command->add_option("--inputs", r.inputs, "Inputs of a capture's nodes: own | golden")->capture_default_str();
  repro_command->add_option("--nothing", r.nothing, "Read a capture's scores at or below this number as -inf");
  repro_command->add_option("--profile", r.profile, "Judge by this profile instead of the golden's own");
  add_layout(repro_command, r.layout);
  repro_command->add_flag("-v,--verbose", r.verbose, "Also print the table and remarks");
  repro_command->callback([&] { action = [&] { return repro(r); }; });
  CLI::App* report_command = app.add_subcommand("report", "Print a report.json in another format");
  report_command->add_option("format", p.format, "markdown | junit | json | terminal | html | sarif | check")
      ->required();
  report_command
      ->add_option("files", p.files,
                   "report.json; with html also documents of other commands, two of a kind are compared")
      ->required();
  report_command->add_option("--out", p.out, "File (- = stdout)")->capture_default_str();
  report_command->add_flag("-v,--verbose", p.verbose, "With terminal: also the tables and every failing tap");
  report_command->callback([&] { action = [&] { return report(p); }; });
}

}  // namespace parity::cli

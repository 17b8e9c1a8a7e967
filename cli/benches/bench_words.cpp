// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/words/command_words.hpp"

namespace parity::cli {
namespace {

void add_counters(CLI::App& c, BenchOptions& o) {
  CLI::Option* counters = c.add_flag("--counters", o.counters,
                                     "Count instructions and memory traffic of the cuda-host kernels; needs no GPU");
  for (const char* name : {"--samples", "--cold", "--instructions", "--save"}) counters->excludes(c.get_option(name));
  c.add_option("--gpu", o.gpu, "a100 | b200 | h100 | h200: GPU whose peak rates give the ideal times")
      ->capture_default_str();
  c.add_option("--sample", o.sample,
               "Thread blocks of each launch to run and count (0: all, then outputs are judged; with --table: 16)")
      ->capture_default_str()
      ->needs(counters);
}

}  // namespace

void add_bench(CLI::App& app, BenchOptions& o, Action& action) {
  CLI::App* c =
      app.add_subcommand("bench", "Time kernels after judging them; the table SDPA against MSA; the regression gate");
  c->add_option("select", o.select, "Globs over cases: component/case/type/backend")->capture_default_str();
  CLI::Option* table =
      c->add_option("--table", o.table,
                    "sdpa-msa: dense against block-sparse attention, by context length; top-k: selection by parity and "
                    "by LibTorch; ranks: what limits several GPUs that share M3");
  c->add_option("--most", o.most, "Largest context length of the table, in tokens")
      ->capture_default_str()
      ->needs(table);
  c->add_option("--seconds", o.seconds, "Time for the table in seconds; rows that do not fit are left out")
      ->capture_default_str()
      ->needs(table);
  c->add_option("--batch", o.batches, "Batch size of the table")->delimiter(',')->capture_default_str()->needs(table);
  c->add_option("--heads", o.heads, "Query, key and index heads of the table (default: 16,1,1; in decode 64,4,4)")
      ->delimiter(',')
      ->needs(table);
  c->add_option("--phase", o.phases, "decode | prefill (default: both)")->delimiter(',')->needs(table);
  c->add_option("--dtype", o.dtype, "bf16 | f32, for the table")->capture_default_str()->needs(table);
  c->add_option(
       "--selection", o.selection,
       "model | sticky | random: how the blocks of the MSA columns are selected (default: model; counted: sticky)")
      ->needs(table);
  c->add_option("--json", o.json, "Write the table, or the counters, as JSON (- = stdout)");
  c->add_option("--markdown", o.markdown, "Write the table as Markdown")->needs(table);
  c->add_option("--svg", o.svg, "Write the table's curves as SVG")->needs(table);
  c->add_option("--backend", o.backend,
                "Glob over backends (parity doctor lists them); for the table, a backend of parity")
      ->capture_default_str();
  c->add_option("--samples", o.samples, "Samples in each of two passes")->capture_default_str()->excludes(table);
  c->add_flag("--cold", o.cold, "Flush the operands from the caches before every call")->excludes(table);
  c->add_flag("--instructions", o.instructions, "Also count instructions (callgrind; kernels at their AVX2 level)")
      ->excludes(table);
  c->add_option("--save", o.save, "Write the measurements to this file, as a baseline")->excludes(table);
  c->add_option("--baseline", o.baseline, "Compare with this file of --save")->excludes(table);
  add_counters(*c, o);
  add_seed(*c, o.seed, "Seed of the operands (0: new ones every time; with --counters: 1)");
  c->add_flag("--quiet", o.quiet, "No progress");
  c->add_option("--counted", o.counted, "Run this case for callgrind")->group("");
  c->add_option("--calls", o.calls, "")->group("");
  c->add_option("--extra", o.extra, "")->group("");
  c->callback([&] {
    if (!action) action = [&] { return bench(o); };
  });
  CLI::App* compare = c->add_subcommand("compare", "Compare two files of --save: same, faster, slower or inconclusive");
  compare->add_option("files", o.compared, "OLD NEW: two files of --save")->required()->expected(2);
  compare->callback([&] { action = [&] { return bench_compare(o); }; });
  CLI::App* study =
      c->add_subcommand("study", "Measure how often the gate is wrong, for equal kernels and for slowed ones");
  study->add_option("--pairs", o.pairs, "Pairs of equal kernels, and pairs of an equal and a slowed kernel")
      ->capture_default_str();
  study->add_option("--slowdown", o.slowdown, "Slowdown of the slowed kernel")->capture_default_str();
  study->callback([&] { action = [&] { return bench_study(o); }; });
  c->footer(
      "Examples:\n  parity bench --table sdpa-msa --most 8192 --markdown table.md --svg table.svg\n"
      "  parity bench 'rms_norm/*' --save base.json\n  parity bench 'rms_norm/*' --baseline base.json\n"
      "  parity bench 'rms_norm/tokens-1/*' --counters --json counters.json");
}

void add_doctor(CLI::App& app, Action& action) {
  CLI::App* c = app.add_subcommand("doctor", "What this machine and this build offer");
  c->callback([&] { action = [] { return doctor(); }; });
  CLI::App* shown = app.add_subcommand("demo", "Judge right kernels and a planted bug; needs nothing but this program");
  shown->callback([&] { action = [] { return demo(); }; });
}

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/runs/choices.hpp"
#include "cli/words/command_words.hpp"

namespace parity::cli {

void add_walk(CLI::App& app, WalkOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("walk", "Judge a model of published size layer by layer");
  c->add_option("model", o.model, published_words())->required();
  c->add_option("--checkpoint", o.checkpoint,
                "Folder with config.json and model.safetensors, or its index and shards (default: drawn weights)");
  c->add_option("--candidate", o.candidate, "What is judged: " + judged_values().text());
  c->add_option("--layers", o.layers,
                "Layers to judge, for example 0-4,7 (default: all); layers before them are computed");
  c->add_option("--state", o.state, "File for the progress of the walk; the same command continues from it");
  c->add_option("--tokens", o.tokens, "Tokens of the prefill")->capture_default_str();
  auto* decode = c->add_option("--decode", o.decode, "Decode steps after the prefill")->capture_default_str();
  c->add_option("--context", o.context,
                "One call on caches that already contain this many slots of random keys and values")
      ->check(CLI::PositiveNumber)
      ->excludes(decode);
  c->add_option("--batch", o.batch, "Sequences")->capture_default_str();
  c->add_option("--words", o.words, "Size to which the vocabulary is cut")->capture_default_str();
  c->add_option("--dtype", o.dtype, "bf16 | f32 | f64")->capture_default_str();
  add_seed(*c, o.seed, "Seed of weights and tokens");
  c->add_option("--profile", o.profile, "Profile to compute by (default: the newest of the system)");
  add_layout(c, o.layout);
  c->add_flag("--estimate", o.estimate, "Only print the time, memory and reading that the walk needs");
  c->add_flag("--explain", o.explain, "Look for the cause of each layer's first divergence");
  c->add_option("--json", o.json, "Write report.json here (- = stdout)");
  c->add_option("--junit", o.junit, "Write JUnit XML here");
  c->add_option("--markdown", o.markdown, "Write a Markdown summary here");
  c->add_flag("-v,--verbose", o.verbose, "Also print the tables, every failing tap and remarks");
  c->add_flag("--quiet", o.quiet, "No progress");
  c->footer(
      "Examples:\n  parity walk m3 --candidate cpu --layers 0-4 --state walk.state\n"
      "  parity walk m3 --checkpoint MiniMax-M3 --candidate cpu --state walk.state");
  c->callback([&] { action = [&] { return walk(o); }; });
}

}  // namespace parity::cli

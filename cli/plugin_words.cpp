// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/words/command_words.hpp"

namespace parity::cli {

void add_plugin(CLI::App& app, PluginOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("plugin", "Check a kernel in a shared library or in Python; print the C header");
  c->require_subcommand(1);
  CLI::App* check = c->add_subcommand("check", "Load a plugin, and run a few cases and the guards of each kernel");
  check->add_option("kernel", o.word, "FILE.so, lib:FILE, python:FILE::FUNCTION or op:FILE::NS::NAME")->required();
  check->add_option("--cases", o.cases, "Cases of each kernel and type")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  check->add_flag("--quiet", o.quiet, "No progress");
  check->callback([&] { action = [&] { return check_plugin(o); }; });
  c->add_subcommand("header", "Print parity_plugin.h, the C interface of a shared library")->callback([&action] {
    action = [] { return print_plugin_header(); };
  });
}

void add_judge(CLI::App& app, JudgeOptions& o, Action& action) {
  CLI::App* c = app.add_subcommand("judge", "Judge kernels as requested on stdin, one JSON request per line");
  c->add_flag("--jsonl", o.jsonl, "JSON lines in, JSON lines out (docs/plugins.md)")->required();
  c->callback([&] { action = [&] { return judge_lines(o); }; });
}

}  // namespace parity::cli

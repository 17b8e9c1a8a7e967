// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The words of the command line: every command with its options.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"

namespace parity::cli {

/// What the words ask for.
using Action = std::function<int()>;

struct ShellOptions {
  std::string shell;  // bash | zsh | fish
  std::string line;   // the command line up to the cursor
};

struct AllOptions {
  RunOptions run;
  GoldenOptions golden;
  SynthesizeOptions synthesize;
  GenerateOptions generate;
  ListOptions list;
  ShowOptions show;
  DiffOptions diff;
  CaptureOptions capture;
  ReproOptions repro;
  ReportOptions report;
  SelftestOptions selftest;
  ExplainOptions explain;
  BisectOptions bisect;
  EngineOptions engine;
  RelationsOptions relations;
  BatteryOptions battery;
  BenchOptions bench;
  ShellOptions shell;
};

/// Adds every command to `app`; parsing fills `options`, which must outlive it, and says in `action` what to do.
void add_commands(CLI::App& app, AllOptions& options, Action& action);

}  // namespace parity::cli

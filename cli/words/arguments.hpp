// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Declares the parser: adds every command with its options to the program.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/gate/gate_policy.hpp"
#include "cli/reports/document.hpp"

namespace parity::cli {

/// Runs the command that was parsed and returns its exit code.
using Action = std::function<int()>;

struct ShellOptions {
  std::string shell;  // bash | zsh | fish
  std::string line;   // the command line up to the cursor
};

struct AllOptions {
  RunOptions run;
  MergeOptions merge;
  WalkOptions walk;
  GoldenOptions golden;
  GoldenValuesOptions values;
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
  GateOptions gate;
  PluginOptions plugin;
  JudgeOptions judge;
  ShellOptions shell;
  Renderings renderings;
};

/// Adds every command to `app`. Parsing fills `options`, which must outlive `app`, and sets `action` to the command.
void add_commands(CLI::App& app, AllOptions& options, Action& action);

}  // namespace parity::cli

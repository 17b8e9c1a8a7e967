// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Declares the functions that add commands to the parser, grouped by subject.
#pragma once

#include <string>
#include <vector>

#include "cli/words/arguments.hpp"

namespace parity::cli {

/// Adds --seed. A value with a sign or with more than nine digits is refused.
CLI::Option* add_seed(CLI::App& c, uint64_t& seed, const char* help);
/// Returns the published models as a help text shows them: "m3 | m2 | text01".
[[nodiscard]] std::string published_words();
/// Adds the size options of a synthetic golden. If `needed` is not null, each of them requires that option.
std::vector<CLI::Option*> add_sizes(CLI::App& c, SynthesizeOptions& s, CLI::Option* needed = nullptr);

/// Adds the options that divide the model among ranks.
void add_layout(CLI::App* c, Layout& layout);

void add_walk(CLI::App& app, WalkOptions& o, Action& action);
void add_golden(CLI::App& app, GoldenOptions& o, GoldenValuesOptions& v, SynthesizeOptions& s, Action& action);
void add_capture(CLI::App& app, CaptureOptions& o, Action& action);
void add_generate(CLI::App& app, GenerateOptions& o, Action& action);
void add_look(CLI::App& app, ListOptions& l, ShowOptions& s, DiffOptions& d, Action& action);
/// Adds `repro`, which judges one case again, and `report`, which renders a report again.
void add_again(CLI::App& app, ReproOptions& r, ReportOptions& p, Action& action);
/// Adds `selftest`, which tests the judge itself.
void add_selftest(CLI::App& app, SelftestOptions& t, Action& action);
/// Adds `explain`, which finds the cause of a failure, and `relations`, which needs no golden.
void add_faults(CLI::App& app, ExplainOptions& x, RelationsOptions& l, Action& action);
void add_bisect(CLI::App& app, BisectOptions& b, EngineOptions& e, Action& action);
void add_battery(CLI::App& app, BatteryOptions& o, Action& action);
void add_bench(CLI::App& app, BenchOptions& o, Action& action);
/// Adds `gate`, which runs what a policy file asks for.
void add_gate(CLI::App& app, GateOptions& o, Action& action);
void add_plugin(CLI::App& app, PluginOptions& o, Action& action);
void add_judge(CLI::App& app, JudgeOptions& o, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_shell(CLI::App& app, ShellOptions& o, Action& action);

}  // namespace parity::cli

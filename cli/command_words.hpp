// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The commands of the command line, by what they are about.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace parity::cli {

/// A sign would be read as a huge number, and of a huge one the last digits alone.
CLI::Option* add_seed(CLI::App& c, uint64_t& seed, const char* help);
/// "m3 | m2 | text01".
[[nodiscard]] std::string published_words();
/// Sizes of a synthetic golden; `needed`, if any, is the option without which they make no sense.
std::vector<CLI::Option*> add_sizes(CLI::App& c, SynthesizeOptions& s, CLI::Option* needed = nullptr);

void add_golden(CLI::App& app, GoldenOptions& o, SynthesizeOptions& s, Action& action);
void add_capture(CLI::App& app, CaptureOptions& o, Action& action);
void add_generate(CLI::App& app, GenerateOptions& o, Action& action);
void add_look(CLI::App& app, ListOptions& l, ShowOptions& s, DiffOptions& d, Action& action);
/// One case, or one report, again.
void add_again(CLI::App& app, ReproOptions& r, ReportOptions& p, Action& action);
/// Whether the judge itself can be trusted.
void add_selftest(CLI::App& app, SelftestOptions& t, Action& action);
/// Causes of failures, and checks that need no golden.
void add_faults(CLI::App& app, ExplainOptions& x, RelationsOptions& l, Action& action);
void add_bisect(CLI::App& app, BisectOptions& b, EngineOptions& e, Action& action);
void add_battery(CLI::App& app, BatteryOptions& o, Action& action);
void add_bench(CLI::App& app, BenchOptions& o, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_shell(CLI::App& app, ShellOptions& o, Action& action);

}  // namespace parity::cli

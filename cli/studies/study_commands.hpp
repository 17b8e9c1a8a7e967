// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The commands that find causes, judge and time kernels without a recording, and measure the judge itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sharding/layout.hpp"

namespace parity::cli {

struct ExplainOptions {
  std::string what;  // GOLDEN, GOLDEN#TAP or a report.json
  std::string tap;   // tap of the report.json; empty: the first divergence
  std::string candidate = "golden";
  std::string profile;     // empty: the profile of the golden
  Layout layout;           // ranks among which the model is divided; of a report.json its own
  double seconds = 300.0;  // time limit of the search for causes beyond the known faults
  bool quiet = false;
};
int explain(const ExplainOptions& options);

struct RelationsOptions {
  std::string candidate = "reference";  // reference | cpu | torch | fault:ID
  std::string fault;                    // fault planted in the reference; empty: none
  bool faults = false;                  // count the faults of the catalogue that break a relation
  bool quiet = false;
  std::string json;
  uint64_t seed = 1;
};
int relations(const RelationsOptions& options);

struct BatteryOptions {
  std::vector<std::string> components;  // globs; empty: every component that has drawn cases
  std::string kernel = "correct";       // cli/runs/choices.hpp: battery_kernels()
  std::string binding;                  // of cu: and ptx:; empty: FILE with .json instead of its ending
  bool unchecked = false;               // of cu: and ptx:; do not look for races and unwritten reads
  std::string beside;                   // a backend whose outputs are compared with the kernel's, bit by bit
  std::string only;                     // only this case, named as in a failing line
  bool counters = false;                // of `only`: print what its launches cost
  bool faults = false;                  // count the faults of the catalogue that fail a case
  std::vector<std::string> lanes;       // lanes of cases; empty: all
  int64_t cases = 100;                  // number of cases of each component and type
  int64_t large = 1;                    // number of cases in the lane `large`, in addition to `cases`
  uint64_t seed = 1;
  bool brief = false;         // end at the first case that fails, as it was drawn
  std::string shard;          // "2/4": a part of the cases of each component; empty: all
  std::string whole_command;  // the command line without --shard and without files to write
  bool quiet = false;
  std::string json;
};
int battery(const BatteryOptions& options);

struct PluginOptions {
  std::string word;   // of a kernel out of the tree; a bare file is a shared library
  int64_t cases = 8;  // of each kernel and type
  bool quiet = false;
};
int check_plugin(const PluginOptions& options);
/// Prints parity_plugin.h.
int print_plugin_header();

struct JudgeOptions {
  bool jsonl = false;  // the only form so far
};
/// Reads a request in each line of stdin, and writes a verdict in each line of stdout.
int judge_lines(const JudgeOptions& options);

struct BenchOptions {
  std::string table;       // sdpa-msa
  int64_t most = 65536;    // context length of the last row
  double seconds = 120.0;  // time limit of the table
  std::vector<int64_t> batches{1};
  std::vector<int64_t> heads;               // query, key, index heads; empty: 16,1,1 in prefill, 64,4,4 in decode
  std::vector<std::string> phases;          // empty: both
  std::string dtype = "bf16", selection;    // empty: model; of counters sticky
  std::string json, markdown, svg;          // files, "-" = stdout
  std::string select = "*", backend = "*";  // globs over cases and over backends
  int64_t samples = 15;
  bool cold = false, instructions = false;
  bool counters = false;  // count what CUDA kernels cost
  std::string gpu = "h100";
  uint32_t sample = 0;                // with counters: blocks of each launch to run; 0: all
  std::string save, baseline;         // files
  uint64_t seed = 0;                  // seed of the operands; 0: a new one in each run
  std::vector<std::string> compared;  // files of `bench compare`: OLD NEW
  int64_t pairs = 200;                // pairs of each kind in `bench study`
  double slowdown = 0.1;
  std::string counted;  // case to run under callgrind
  int64_t calls = 1;
  double extra = 0.0;
  bool quiet = false;
};
int bench(const BenchOptions& options);
int bench_compare(const BenchOptions& options);
int bench_study(const BenchOptions& options);

struct BisectOptions {
  std::string golden;
  std::string fault;   // fault planted in the candidate
  std::string at;      // glob over nodes that get the fault; empty: those of the catalogue
  std::string end;     // tap to compare; empty: the last
  std::string engine;  // command of an engine, instead of a fault
  bool stop = false;   // the engine stops at the cut; else it starts there
  std::string probe;   // only test the cut before this node
  std::string keep;    // folder in which the engine's input and output files are kept
  double timeout_s = 600.0;
  bool quiet = false;
};
int bisect(const BisectOptions& options);
int bisect_engine(const BisectOptions& options);

struct EngineOptions {
  std::string golden, in, out;
  std::string fault, at;     // fault planted in the reference, glob over its nodes
  bool layers_only = false;  // refuse boundaries inside a layer
};
int engine(const EngineOptions& options);

struct SelftestOptions {
  std::vector<std::string> goldens;
  std::string faults = "*";               // glob over fault ids
  std::string candidate{};                // backend in whose kernels faults are planted; empty: the reference
  bool every_fixture = false;             // plant on every golden, not only until one shows the fault clearly
  bool judges = false;                    // compare with the acceptance rules of other projects
  bool guards = false;                    // run every kernel under the guards
  std::string engines{};                  // folder with captures and truth.json, which says what is wrong with them
  std::vector<std::string> components{};  // with guards: globs over components; empty: all
  std::vector<std::string> backends{};    // with guards: globs over backends, "reference" among them; empty: all
  bool leave_one_out = false;             // explain each fault with a catalogue that lacks it
  std::optional<int64_t> corruptions{};   // number of recordings to corrupt at random
  std::optional<int64_t> value_corruptions{};  // number of taps to damage in known ways
  uint64_t seed = 1;
  bool explain = false;                       // name causes; a random corruption must not be named as a known fault
  std::optional<int64_t> false_alarms{};      // number of runs of correct kernels
  std::optional<int64_t> damaged_captures{};  // number of damaged captures; none may be green
  std::optional<int64_t> ranks{};             // how often to plant each fault of ranks and links
  bool calibration = false;                   // with false_alarms: the seeds reserved for developing tolerances
  bool own_roundings = false;  // with false_alarms: kernels that omit some of the roundings of the oracle
  std::string json;
  bool quiet = false;
};
int selftest(const SelftestOptions& options);

int doctor();
/// Judges right kernels and a planted bug on what comes with the program. `holds` if each is judged as it should be.
int demo();

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The commands of the program: one options struct and one function each. Results go to stdout, progress to stderr; the
// functions return the exit code and throw Error for everything else (cli/main.cpp turns those into codes 2..70).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parity::cli {

enum ExitCode : int {
  holds = 0,
  broken = 1,  // failed, mistrusted, unimplemented, or a difference found by diff
  usage = 2,
  golden_damaged = 3,  // missing or damaged
  device_absent = 4,   // required device or library
  nothing_ran = 5,
  internal_error = 70,
};

struct SynthesizeOptions {
  std::string config;              // config.json; empty: a small built-in one
  std::string published;           // m3 | m2 | text01: the published sizes, weights drawn when they are needed
  std::vector<int64_t> layers{0};  // of the published model
  int64_t words = 512;             // vocabulary instead of the published one
  bool drawn = false;              // checkpoint/synthetic.json instead of model.safetensors
  std::string out;                 // golden folder to write
  std::string profile;             // empty: the newest of the system
  std::string dtype = "bf16";
  int64_t batch = 2, tokens = 256, decode = 1;
  uint64_t seed = 1;
  bool announce = false;  // show progress however quiet: it takes minutes
  bool quiet = false;     // say nothing
};
int golden_synthesize(const SynthesizeOptions& options);
/// Error{usage} for candidate fault:ID when the model has no node of its component, before anything is made of it.
[[nodiscard]] bool has_place(const SynthesizeOptions& options, const std::string& candidate);
void refuse_without_place(const SynthesizeOptions& options, const std::string& candidate);
/// The sizes as arguments of `run --synthetic` and `golden synthesize`, those that are not the default's: " --tokens 32".
[[nodiscard]] std::string synthetic_arguments(const SynthesizeOptions& options);

struct GenerateOptions {
  std::vector<std::string> files;  // JSON: checkpoint, prompt, recorded tokens
  bool quiet = false;
};
int generate(const GenerateOptions& options);

struct RunOptions {
  std::vector<std::string> goldens;
  SynthesizeOptions synthetic;        // published: a golden made for this run
  std::string candidate;              // empty: the best that is present
  std::string inputs = "own";         // of a capture's nodes: own | golden
  std::string nothing;                // score that stands for -inf in a capture; empty: none
  std::vector<std::string> required;  // globs over taps or components that must have been judged
  std::string mode;                   // empty: isolated, and chained or forced by dtype
  std::string policy;                 // bits | bounds; empty: bits of goldens and the reference, else bounds
  std::string select = "*";
  std::string profile;
  std::string json, junit, markdown;     // files, "-" = stdout
  std::string manifest, write_manifest;  // files: what has to be judged, what was
  std::string accept;                    // file: stated deviations that are lived with
  std::string save;                      // file: the candidate's own run as a capture
  std::string command_line;
  bool verbose = false;             // the tables, every failing tap, remarks
  bool taps = false;                // a line per tap
  bool bit_equal = false;           // table of bit-equal shares by tap name
  bool power = false;               // which faults of the catalogue would not have shown
  bool quiet = false;               // no progress
  std::vector<std::string> assume;  // judge against the reference with these faults, under this profile
  int64_t cases = 0;                // synthetic: so many models of drawn sizes instead of the published one
  std::string only_case;            // synthetic: this one alone, as a failing line names it
  bool explain = true;              // look for the cause of the first divergence
};
int run(const RunOptions& options);

struct DiffOptions {
  std::string left, right;  // activations.h5 or golden folders
  std::string select = "*";
  std::string json;
  double rtol = 0.0;  // largest difference relative to the tap's largest magnitude that still counts as equal
};
int diff(const DiffOptions& options);

struct ListOptions {
  std::string what = "components";  // components | kernels | profiles | statuses | goldens
  std::string root;                 // for goldens
};
int list(const ListOptions& options);

struct ShowOptions {
  std::string what;    // component, tap or file
  std::string golden;  // for taps
};
int show(const ShowOptions& options);

struct GoldenOptions {
  std::vector<std::string> paths;
  std::string select = "*";
  std::string json;
};
int golden_verify(const GoldenOptions& options);
int golden_info(const GoldenOptions& options);
int golden_ls(const GoldenOptions& options);
int golden_names(const GoldenOptions& options);

struct CaptureOptions {
  std::string golden, out;
  std::vector<std::string> only, without;  // globs over taps
  bool no_padding = false;
};
int capture_init(const CaptureOptions& options);

struct ReproOptions {
  std::string case_id;  // GOLDEN#TAP
  std::string candidate = "golden";
  std::string mode = "isolated";
  std::string profile;  // empty: the golden's own
  std::string policy;   // empty: the candidate's default
  std::string inputs = "own";
  std::string nothing;
  bool verbose = false;
};
int repro(const ReproOptions& options);

struct ExplainOptions {
  std::string what;  // GOLDEN, GOLDEN#TAP or a report.json
  std::string tap;   // of a report.json; empty: the first divergence
  std::string candidate = "golden";
  std::string profile;     // empty: the golden's own
  double seconds = 300.0;  // how long it may look beyond the known faults
  bool quiet = false;
};
int explain(const ExplainOptions& options);

struct RelationsOptions {
  std::string candidate = "reference";  // reference | cpu | torch | fault:ID
  std::string fault;                    // planted in the reference; empty: none
  bool faults = false;                  // count the catalogue's faults that break a relation
  bool quiet = false;
  std::string json;
  uint64_t seed = 1;
};
int relations(const RelationsOptions& options);

struct BatteryOptions {
  std::vector<std::string> components;  // globs; empty: every component of which cases are drawn
  std::string kernel = "correct";       // correct | reference | fault:ID
  std::string only;                     // one case, as a failing line names it
  bool faults = false;                  // count the catalogue's faults that fail a case
  std::vector<std::string> lanes;       // empty: all
  int64_t cases = 100;                  // of each component and type
  int64_t large = 1;                    // of them in the lane large, beside the others
  uint64_t seed = 1;
  bool quiet = false;
  std::string json;
};
int battery(const BatteryOptions& options);

struct BenchOptions {
  std::string table;       // sdpa-msa
  int64_t most = 65536;    // context length of the last row
  double seconds = 120.0;  // for the table
  std::vector<int64_t> batches{1};
  std::vector<int64_t> heads;       // query, key, index; empty: 16,1,1 in prefill, 64,4,4 in decode
  std::vector<std::string> phases;  // empty: both
  std::string dtype = "bf16", selection = "model";
  std::string json, markdown, svg;          // files, "-" = stdout
  std::string select = "*", backend = "*";  // globs over cases and backends
  int64_t samples = 15;
  bool cold = false, instructions = false;
  std::string save, baseline;         // files
  uint64_t seed = 0;                  // of the operands; 0: new ones every time
  std::vector<std::string> compared;  // bench compare: OLD NEW
  int64_t pairs = 200;                // bench study
  double slowdown = 0.1;
  std::string counted;  // for callgrind: the case that is run
  int64_t calls = 1;
  double extra = 0.0;
  bool quiet = false;
};
int bench(const BenchOptions& options);
int bench_compare(const BenchOptions& options);
int bench_study(const BenchOptions& options);

struct BisectOptions {
  std::string golden;
  std::string fault;   // planted in the candidate
  std::string at;      // glob over its nodes; empty: as the catalogue says
  std::string end;     // tap that is compared; empty: the last
  std::string engine;  // command instead of a fault
  bool stop = false;   // it stops at the cut; else it starts there
  std::string probe;   // node: only this cut
  std::string keep;    // folder for what the engine was given and gave
  double timeout_s = 600.0;
  bool quiet = false;
};
int bisect(const BisectOptions& options);
int bisect_engine(const BisectOptions& options);

struct EngineOptions {
  std::string golden, in, out;
  std::string fault, at;     // planted in it
  bool layers_only = false;  // refuse boundaries inside a layer
};
int engine(const EngineOptions& options);

struct ReportOptions {
  std::string format;  // markdown | junit | terminal | json | check
  std::string file;    // report.json
  std::string out = "-";
  bool verbose = false;  // on a terminal: everything
};
int report(const ReportOptions& options);

struct SelftestOptions {
  std::vector<std::string> goldens;
  std::string faults = "*";               // glob over the catalogue
  std::string candidate{};                // a backend around whose kernels they are planted; empty: the reference
  bool every_fixture = false;             // the whole matrix, not the first fixture that shows a fault clearly
  bool judges = false;                    // what published predicates of other projects make of the same candidates
  bool guards = false;                    // the battery that every kernel must hold
  std::string engines{};                  // folder of captures, and truth.json that says what is true of them
  std::vector<std::string> components{};  // with guards: globs; empty: all
  bool leave_one_out = false;             // explain each fault with a catalogue that lacks it
  std::optional<int64_t> corruptions{};   // number of random corruptions of recordings, instead of the catalogue
  std::optional<int64_t> value_corruptions{};  // so many taps damaged in known ways, to be named
  uint64_t seed = 1;
  bool explain = false;                       // with corruptions: no known fault may be named as the cause of one
  std::optional<int64_t> false_alarms{};      // number of runs of correct kernels, instead of the catalogue
  std::optional<int64_t> damaged_captures{};  // so many damaged captures: none may be green
  bool calibration = false;                   // with false alarms: the seeds that tolerances may be looked at with
  bool own_roundings = false;  // with false alarms: kernels that leave out some of the oracle's roundings
  std::string json;
  bool quiet = false;
};
int selftest(const SelftestOptions& options);

int doctor();

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The commands that look for causes, judge kernels without a recording, time them, and measure the judge itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parity::cli {

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

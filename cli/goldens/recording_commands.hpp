// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The commands about recordings and captures. Each has a struct of options and a function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/sharding/layout.hpp"

namespace parity::cli {

struct SynthesizeOptions {
  std::string config;              // path of config.json; empty: a small built-in model
  std::string published;           // m3 | m2 | text01: a model of published size with drawn weights
  std::vector<int64_t> layers{0};  // indices of the published layers to keep
  int64_t words = 512;             // vocabulary size, instead of the published one
  bool drawn = false;              // write checkpoint/synthetic.json instead of model.safetensors
  std::string out;                 // golden folder to write
  std::string profile;             // empty: the newest profile of the system
  std::string dtype = "bf16";
  int64_t batch = 2, tokens = 256, decode = 1;
  uint64_t seed = 1;
  bool announce = false;  // show progress even if `quiet` is set, because this takes minutes
  bool quiet = false;     // print nothing
};
int golden_synthesize(const SynthesizeOptions& options);
/// Whether the model has a node for the fault of `candidate`; true for candidates without a fault.
[[nodiscard]] bool has_place(const SynthesizeOptions& options, const std::string& candidate);
/// The plan of the golden that would be written.
[[nodiscard]] Plan synthetic_plan(const SynthesizeOptions& options);
void refuse_without_place(const SynthesizeOptions& options, const std::string& candidate);
/// Returns the sizes that differ from the defaults as arguments of `run --synthetic`: " --tokens 32".
[[nodiscard]] std::string synthetic_arguments(const SynthesizeOptions& options);

struct GenerateOptions {
  std::vector<std::string> files;  // JSON: checkpoint, prompt, recorded tokens
  bool quiet = false;
};
int generate(const GenerateOptions& options);

struct RunOptions {
  std::vector<std::string> goldens;
  SynthesizeOptions synthetic;        // if `published` is set, a golden made for this run
  std::string candidate;              // empty: the golden itself
  std::string inputs = "own";         // inputs of a capture's nodes: own | golden
  std::string nothing;                // number that a capture has in place of -inf; empty: none
  std::vector<std::string> required;  // globs over taps or components that must have been judged
  std::string mode;                   // empty: isolated, and chained or forced by dtype
  std::string policy;                 // bits | bounds; empty: bits for goldens and the reference, else bounds
  std::string select = "*";
  std::string profile;
  Layout layout;                         // ranks among which the model is divided
  bool nccl = false;                     // ranks add their sums by NCCL
  double timeout_s = 600.0;              // for which ranks wait for another one
  std::string json, junit, markdown;     // files, "-" = stdout
  std::string manifest, write_manifest;  // files: taps that must be judged; taps that were judged
  std::string accept;                    // file: deviations that the user accepts
  std::string save;                      // file: the candidate's values, as a capture
  std::string shard;                     // "2/4": the second of four parts of the goldens; empty: all
  std::string command_line;
  std::string whole_command;                 // the same without --shard and without files to write
  std::map<std::string, std::string> given;  // options on which the judgement depends, as given
  bool verbose = false;                      // print tables, every failing tap and remarks
  bool taps = false;                         // print a line for each tap
  bool bit_equal = false;                    // print the share of bit-equal elements by tap name
  bool power = false;                        // list the faults of the catalogue that would not have shown
  bool quiet = false;                        // show no progress
  std::vector<std::string> assume;           // faults, or a profile, assumed in the reference
  int64_t cases = 0;                         // synthetic: number of models of drawn sizes; 0: the published model
  std::string only_case;                     // synthetic: only this case, named as in a failing line
  bool explain = true;                       // search for the cause of the first divergence
};
int run(const RunOptions& options);

struct WalkOptions {
  std::string model = "m3";        // m3 | m2 | text01
  std::string checkpoint;          // folder with config.json and safetensors; empty: drawn weights
  std::string candidate, profile;  // as in RunOptions
  std::string layers;              // "0-4,7"; empty: all
  std::string state;               // file that keeps what is done; empty: none
  std::string dtype = "bf16";
  int64_t batch = 1, tokens = 8, decode = 1;
  int64_t context = 0;  // slots of the caches that are filled with drawn numbers before the only call
  int64_t words = 512;  // rows of embedding and head that are kept
  uint64_t seed = 1;
  Layout layout;
  std::string json, junit, markdown;  // files, "-" = stdout
  std::string command_line;
  bool estimate = false;  // print the estimate and end
  bool explain = false;   // search for the cause of a layer's first divergence
  bool verbose = false, quiet = false;
};
int walk(const WalkOptions& options);

struct MergeOptions {
  std::vector<std::string> files;  // report.json of every shard
  RunOptions outputs;              // only the files to write, the manifest, and what to print
};
int merge(const MergeOptions& options);

struct DiffOptions {
  std::string left, right;  // activations.h5 files or golden folders
  std::string select = "*";
  std::string json;
  double rtol = 0.0;  // equal up to this difference, relative to the tap's largest magnitude
};
int diff(const DiffOptions& options);

struct ListOptions {
  std::string what = "components";  // components | kernels | profiles | statuses | goldens
  std::string root;                 // folder of goldens to list
  std::string json;                 // file for the signatures of the components, "-" = stdout
};
int list(const ListOptions& options);

struct ShowOptions {
  std::string what;    // component, tap or file
  std::string golden;  // the golden in which a tap is shown
  std::string json;    // file for a tap, its component, operands and parameters; "-" = stdout
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

struct GoldenValuesOptions {
  std::string golden, out;
  std::string select = "*";
  bool quiet = false;
};
/// Writes the exact and the oracle-rounded value of recorded taps, from recorded inputs, and their tolerance.
int golden_values(const GoldenValuesOptions& options);

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
  std::string profile;  // empty: the profile of the golden
  Layout layout;
  std::string policy;  // empty: the default of the candidate
  std::string inputs = "own";
  std::string nothing;
  bool verbose = false;
};
int repro(const ReproOptions& options);

struct ReportOptions {
  std::string format;              // markdown | junit | terminal | json | html | sarif | check
  std::vector<std::string> files;  // report.json; of the page several
  std::string out = "-";
  bool verbose = false;  // print everything, if the format is terminal
};
int report(const ReportOptions& options);

}  // namespace parity::cli

// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The commands about recordings and captures: one options struct and one function each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::cli {

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

struct ReportOptions {
  std::string format;  // markdown | junit | terminal | json | check
  std::string file;    // report.json
  std::string out = "-";
  bool verbose = false;  // on a terminal: everything
};
int report(const ReportOptions& options);

}  // namespace parity::cli

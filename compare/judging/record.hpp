// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Results of a judgement: one Record per judged tap and mode, collected per golden and per run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/judging/positions.hpp"
#include "compare/values/error_picture.hpp"
#include "core/dtype.hpp"
#include "core/environment.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

enum class Status : uint8_t { pass, fail, mistrusted, unimplemented, not_recorded, skipped, error };
enum class Mode : uint8_t { isolated, chained, forced };

/// The result for a candidate as a whole, before any policy or accepted deviation is applied.
enum class Answer : uint8_t {
  conforms,            // the oracle's bits where they are claimed, else within an oracle's tolerance
  rounds_differently,  // within bounds for a candidate that rounds less often, later or in another order
  wrong,               // beyond these bounds
  not_shown,           // correctness is not shown: mistrusted, unimplemented, or missing without a declaration
};

/// The requirement on a candidate that is right but rounds differently from the oracle.
enum class Policy : uint8_t { bits, bounds };

[[nodiscard]] const char* to_string(Status status);
[[nodiscard]] const char* to_string(Answer answer);
[[nodiscard]] const char* to_string(Policy policy);
[[nodiscard]] const char* to_string(Mode mode);
[[nodiscard]] bool is_green(Status status);  // only pass; a skip with a reason is counted but is not green

/// The element with the largest |got - exact| / tolerance.
struct Worst {
  std::vector<int64_t> index;
  double exact = 0.0;
  double rounded = 0.0;  // oracle-rounded reference
  double got = 0.0;
  double ulp = 0.0;  // |got - rounded| in units of the tap's type
  std::string at{};  // the index in words, if not green: "token 11, head 3, channel 14"
};

/// Terms of the tolerance at the worst element: noise + min(rounding, c * oracle + last) + drift.
struct Terms {
  double rounding = 0.0;  // worst case of the component's inner roundings to T
  double noise = 0.0;     // binary32 operations, library functions, order of sums
  double oracle = 0.0;    // largest |rounded - exact| in the element's row
  double last = 0.0;      // one rounding of the output
  double drift = 0.0;     // inherited drift: distance of the rounded walk from the exact one (spans and chains)
  double tolerance = 0.0;
};

/// Failures and used budget along one axis of the tap, at its worst position.
struct Slice {
  std::string axis;  // "row", "head", "block", "expert", …
  int64_t position = 0;
  int64_t positions = 0;  // number of positions
  int64_t failed = 0;     // elements over tolerance at `position`
  double budget_used = 0.0;
};

/// Systematic error, which single elements do not show.
struct Bias {
  double scale = 1.0;  // least squares got = scale * exact + offset
  double offset = 0.0;
  double z = 0.0;     // largest |z| of mean(got - rounded) over bins of the exact value, rows and columns
  std::string where;  // the bin, row or column of that z
};

struct BitEqual {
  int64_t equal = 0;  // elements with exactly the bits of the oracle-rounded reference
  int64_t total = 0;
  int64_t near_ties = 0;  // unequal elements that are within the noise of a rounding boundary
  double max_ulp = 0.0;   // largest distance of any element from the oracle-rounded reference
  [[nodiscard]] double share() const {
    return total == 0 ? 1.0 : static_cast<double>(equal) / static_cast<double>(total);
  }
};

/// Comparison of logits as distributions: their distance, and the most likely words.
struct Logits {
  int64_t tokens = 0;
  int64_t top1_agree = 0;  // tokens with the reference's most likely word
  double kl_mean = 0.0;    // KL(reference || candidate) per token, nats
  double kl_max = 0.0;
  double flip_margin = 0.0;  // largest margin, in the reference, of its top word over the candidate's
};

/// A row of ids that differs from the exact choice within the errors of the scores.
struct Flip {
  int64_t sequence = 0, token = 0;
  int64_t chosen = 0;    // id that the candidate chose, and the exact choice did not
  int64_t left_out = 0;  // id of the exact choice that it left out
  double gap = 0.0;      // score of `left_out` - score of `chosen`: the margin
  double reach = 0.0;    // sum of the errors of both scores; a flip has |gap| <= reach
};

constexpr size_t kListedFlips = 16;

/// Counts for a discrete output (expert ids, block ids).
struct Discrete {
  int64_t rows = 0;
  int64_t must = 0;             // ids that had to be chosen
  int64_t may = 0;              // ids within twice the score error of the cut
  int64_t must_not = 0;         // ids that had to be left out
  int64_t violations = 0;       // rows that break the contract
  int64_t flips = 0;            // rows that differ from the exact choice within the contract
  double expected = 0.0;        // number of flips that the margins lead to expect
  double delta = 0.0;           // largest score error used
  int64_t unequal = 0;          // rows that differ from the reference's choice
  std::vector<Flip> flipped{};  // the first kListedFlips of `flips`, by rows
};

/// Distance of the candidate from the oracle-rounded reference, relative to the roundings: rms(got - rounded) /
/// rms(rounded - exact) over the tap. Another order of the same roundings gives about 1.4, an exact candidate 1.
struct Noise {
  double ratio = 0.0;
  double worst_row = 0.0;  // the worst row's deviation over the tap's noise
  int64_t row = -1;
  int64_t elements = 0;     // number of elements that depend on no open choice, which `ratio` is over
  double median_row = 0.0;  // median over all rows, since open choices change only few
  int64_t rows = 0;         // number of rows in which the oracle or the candidate rounds
  double error = 0.0;       // rms(got - exact) / rms(rounded - exact): below 1, more exact than the oracle
};

/// Counts of elements that depend on an unrecorded choice (experts, blocks) within the error of its scores.
struct Undecided {
  int64_t elements = 0;
  int64_t deviating = 0;  // how many of `elements` exceed the tolerance
};

/// Elements of an output that are NaN, or hold the mark, and should not.
struct NotNumbers {
  int64_t never_written = 0;  // they hold the bits that were there before the kernel ran
  int64_t computed = 0;       // NaN of other bits
};

/// A correct value that differs from the oracle's: the freedom that explains it, and its effect on the error.
struct Deviation {
  std::string kind;   // "rounding" | "order" | "function" | "fusion" | "weights" | "type"
  std::string text;   // "rounds fewer times or later", "norms the sum before it is rounded"
  double cost = 0.0;  // rms(got - exact) / rms(oracle - exact); below 1: more exact than the oracle
};

struct Record {
  std::string tap;
  std::string component;
  std::vector<std::string> span;  // prefixes of the nodes, if more than one
  std::string backend;            // name of the candidate: "golden", "reference", "capture"
  std::string variant;
  Mode mode = Mode::isolated;
  Status status = Status::pass;
  std::string reason;                                // one line: why the status is not pass
  std::string found;                                 // how many findings follow, if a machine executed the kernel
  std::vector<std::vector<std::string>> findings{};  // a block of lines for each: they are part of `reason`, too
  DType dtype = DType::f64;
  std::string axes;
  Shape shape;
  int layer = -1;
  int64_t elements = 0;
  int64_t failed = 0;
  int64_t uncomputed = 0;       // elements declared as not computed: not compared, not counted in `elements`
  double budget_used = 0.0;     // largest |got - exact| / tolerance; 1 is the limit
  double relative_error = 0.0;  // largest |got - exact| / largest finite |exact|
  double added = 0.0;           // relative error of the tap's isolated judgement
  double inherited = 0.0;       // drift of the chain over the tap's largest magnitude
  Worst worst;
  Terms terms;
  std::vector<Slice> slices;
  Bias bias;
  BitEqual bit_equal;
  Noise noise;
  Undecided undecided;
  std::optional<Logits> logits;
  std::optional<Discrete> discrete;
  std::optional<Deviation> deviation;   // passes under Policy::bounds, fails under Policy::bits
  std::vector<std::string> unnoticed;   // ways in which whole slices could be wrong without breaking a rule
  std::string accepted;                 // reason and date of the acceptance; empty: not accepted
  std::string where;                    // the worst slice in words
  std::vector<Positions> region;        // the same, axis by axis
  std::optional<NotNumbers> nan;        // of a failing output whose memory was marked before the kernel ran
  std::optional<ErrorPicture> picture;  // of a failing tap of numbers, where the run draws them
  std::string repro;
  double seconds = 0.0;  // seconds since the previous record, including the reference's work
};

struct TapCounts {
  int64_t judged = 0, input = 0, alias = 0, parameter = 0, yardstick = 0, unknown = 0;  // counts of datasets
  int64_t spanned = 0, not_recorded = 0;                                                // counts of the plan's outputs
  int64_t unselected = 0;  // datasets that `select` excludes
  int64_t unjudged = 0;    // datasets in error, after a broken chain, or only used as inputs
};

/// Kinds of wrong values. If several are true, the most specific is reported.
enum class ValueKind : uint8_t {
  zero,
  constant,
  negated,
  scaled,
  offset,
  scaled_rows,  // each row by a factor of its own
  shifted,      // slices moved by some positions, with or without wrapping around the end
  reversed,
  permuted,   // slices in an order that no other kind describes
  exchanged,  // two slices or equal stretches (halves, thirds, neighbours) exchanged
  transposed,
  interleaved,  // alternating instead of in halves, or in halves instead of alternating
  rounded,      // rounded once more, to another type
  truncated,    // rounded toward zero instead of to nearest
  stale,        // values of another call or layer
  input,        // an input passed through
  unwritten,    // NaN, or a pattern that no computation gives
  nan,          // NaN that the kernel computed
};
[[nodiscard]] const char* to_string(ValueKind kind);

struct ValueMatch {
  ValueKind kind = ValueKind::zero;
  std::string axis;       // axis letter; "S,D" for two exchanged axes; empty: none
  std::string detail;     // "heads 3 and 5 exchanged"
  double explains = 0.0;  // share of the wrong elements that it explains
};

struct Divergence {
  std::string tap;
  std::string component;
  int layer = -1;
  std::string explanation;
  std::optional<ValueMatch> values{};  // kind of the wrong values
};

/// Which rank is wrong, or which message between ranks, at the first divergence of a model that is divided among ranks.
struct RankFinding {
  std::string tap;             // "ranks/03/steps/000/text/layers/01/attention/o_proj/out"
  std::vector<int64_t> wrong;  // ranks at which it is wrong
  std::vector<int64_t> right;  // ranks at which it is right
  int64_t sender = -1;         // rank whose message those ranks received wrong, although it was sent right; -1: none
  std::string text;  // "rank 3 adds the part of rank 2 as zeros; all 8 terms were right when sent: link 2 -> 3"
};

/// A weight stored in a capture that differs from the checkpoint's.
struct WeightDifference {
  std::string name{};         // published name
  double relative_rms = 0.0;  // rms(stored - published) / rms(published)
  double largest = 0.0;       // largest |stored - published|
};

/// A candidate's file: its declarations, and how it was read.
struct CaptureSummary {
  bool declared = false;                  // made by `parity capture init`: every value in it was computed
  std::string inputs;                     // inputs of its nodes: "own", or "golden"
  std::vector<std::string> not_computed;  // declared as not computed: "taps */loss", "padding"
  std::vector<std::string> stated;        // declared way to compute: "rounding *=oracle", "function_ulps swiglu=64"
  int64_t goldens_bits = 0;               // taps with the golden's bits; in an undeclared file they may be copies
  std::vector<WeightDifference> weights;  // weights stored in the capture
};

/// Number of taps of one component that the golden records, and how many of them were judged.
struct Coverage {
  std::string component;
  int64_t judged = 0;
  int64_t of = 0;
};

/// A cause of failing taps. It was found by judging them against a reference with the cause built in.
struct Cause {
  std::string tap;        // first failing tap that the cause explains
  std::string what;       // kind of `value`: "fault" | "parameter" | "function" | "profile" | "text"
  std::string value;      // id of a fault, name of a profile, or edits in the notation of --assume
  std::string text;       // in words
  double explains = 0.0;  // share of the failing taps that it explains
};

/// What one rank sent in one layer, for nodes of one component.
struct LinkTraffic {
  int64_t rank = 0;
  int64_t layer = -1;
  std::string component;  // of the nodes that received it: "all_reduce", "gather"
  int64_t messages = 0;   // counted by the communicator
  int64_t bytes = 0;      // counted by the communicator
  int64_t expected = 0;   // bytes by the formula of the collective, from the plan alone
};

struct GoldenReport {
  std::string path;
  std::string name;
  std::string sha256;  // hash of activations.h5
  std::string oracle;
  std::string system;
  std::string profile;
  std::string candidate;
  std::string layout;  // "tp 2, dp 2", "tp 4, rules vllm"; empty: one process
  Status verdict = Status::pass;
  Answer answer = Answer::not_shown;
  Policy policy = Policy::bits;
  std::string reason;  // set if the golden cannot be judged, or is mistrusted as a whole
  std::optional<Divergence> first_divergence;
  std::optional<RankFinding> ranks;  // of the first divergence
  std::vector<Cause> causes;         // in the order of Cause::tap
  TapCounts taps;
  std::vector<std::string> unknown_taps;
  std::optional<CaptureSummary> capture;       // only for a candidate that is a file
  std::vector<std::string> not_shown;          // why the golden cannot pass: unknown, lost or unfilled taps
  std::vector<Coverage> coverage;              // by component
  std::map<std::string, std::string> outputs;  // taps that the plan can judge, and their components; not in report.json
  std::vector<std::string> notes;              // behaviour that the fixture does not exercise, unread weights, …
  std::vector<LinkTraffic> links;              // of ranks that ran; by layer, component, rank
  std::vector<Record> records;                 // in plan order, isolated first
  double seconds = 0.0;
  int64_t largest_span_bytes = 0;  // working set of the largest span, in bytes
  std::string largest_span;
};

/// Which goldens of a run its report has, if they were spread over several processes.
struct Shard {
  int64_t index = 1, of = 1;                   // "2/4" of --shard: counted from 1
  int64_t total = 0;                           // goldens of the whole run
  std::string command;                         // of the whole run, without the files that it writes
  std::vector<int64_t> goldens;                // positions of this report's goldens among those, from 0
  std::map<std::string, std::string> options;  // options of the run that all its shards share
};

struct RunReport {
  std::string command;
  Environment environment;
  Status verdict = Status::pass;
  Answer answer = Answer::not_shown;  // the worst answer of all goldens
  int exit_code = 0;
  std::optional<Divergence> first_divergence;  // first divergence of the first golden with the worst answer
  std::vector<Cause> causes;                   // causes of that golden
  std::map<std::string, int64_t> counts;       // number of records by status name
  std::vector<GoldenReport> goldens;
  double seconds = 0.0;
  int64_t peak_rss_bytes = 0;
  std::optional<Shard> shard;  // only of a part of a run
};

}  // namespace parity::compare

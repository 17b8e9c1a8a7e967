// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a judgement says: one Record per judged tap and mode, gathered per golden and per run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/environment.hpp"
#include "core/tensor.hpp"

namespace parity::compare {

enum class Status : uint8_t { pass, fail, mistrusted, unimplemented, not_recorded, skipped, error };
enum class Mode : uint8_t { isolated, chained, forced };

/// What a run says of a candidate as a whole; found before any policy or accepted deviation.
enum class Answer : uint8_t {
  conforms,            // the oracle's bits where they are claimed, elsewhere within the tolerance of an oracle
  rounds_differently,  // within bounds derived for a candidate that rounds fewer times, later, or in another order
  wrong,               // beyond them
  not_shown,           // mistrusted, unimplemented, or missing without having been declared so
};

/// What is required of a candidate that is right but does not round like the oracle.
enum class Policy : uint8_t { bits, bounds };

[[nodiscard]] const char* to_string(Status status);
[[nodiscard]] const char* to_string(Answer answer);
[[nodiscard]] const char* to_string(Policy policy);
[[nodiscard]] const char* to_string(Mode mode);
[[nodiscard]] bool is_green(Status status);  // pass; a skip with a reason is not a failure but is counted

/// The element with the largest |got - exact| / tolerance.
struct Worst {
  std::vector<int64_t> index;
  double exact = 0.0;
  double rounded = 0.0;  // the reference as the oracle rounds
  double got = 0.0;
  double ulp = 0.0;  // |got - rounded| in units of the tap's type
  std::string at{};  // the index in words, of what is not green: "token 11, head 3, channel 14"
};

/// tolerance = noise + min(rounding, c * oracle + last) + drift, at the worst element.
struct Terms {
  double rounding = 0.0;  // worst case of the roundings to T inside the component
  double noise = 0.0;     // binary32 operations, library functions, order of sums
  double oracle = 0.0;    // largest |rounded - exact| in the element's row
  double last = 0.0;      // one rounding of the output
  double drift = 0.0;     // inherited: how far the rounding walk is from the exact one (spans and chains)
  double tolerance = 0.0;
};

/// Failures and budget along one axis of the tap; the worst position is named.
struct Slice {
  std::string axis;  // "row", "head", "block", "expert", …
  int64_t position = 0;
  int64_t positions = 0;  // how many there are
  int64_t failed = 0;     // elements over tolerance at the worst position
  double budget_used = 0.0;
};

/// Systematic error that single elements hide.
struct Bias {
  double scale = 1.0;  // least squares got = scale * exact + offset
  double offset = 0.0;
  double z = 0.0;     // largest |z| of mean(got - rounded) over bins of the exact value, rows and columns
  std::string where;  // the bin, row or column of that z
};

struct BitEqual {
  int64_t equal = 0;  // elements with the very bits of the oracle-rounded reference
  int64_t total = 0;
  int64_t near_ties = 0;  // unequal ones that sit on a rounding boundary within the noise: explained
  double max_ulp = 0.0;   // largest distance of any element from the oracle-rounded reference
  [[nodiscard]] double share() const {
    return total == 0 ? 1.0 : static_cast<double>(equal) / static_cast<double>(total);
  }
};

/// What the logits mean: distance of the distributions and the most likely words.
struct Logits {
  int64_t tokens = 0;
  int64_t top1_agree = 0;  // tokens with the reference's most likely word
  double kl_mean = 0.0;    // KL(reference || candidate) per token, nats
  double kl_max = 0.0;
  double flip_margin = 0.0;  // largest lead, in the reference, of its word over the candidate's
};

/// Discrete outputs (expert ids, block ids).
struct Discrete {
  int64_t rows = 0;
  int64_t must = 0;        // ids that had to be chosen
  int64_t may = 0;         // ids within twice the score error of the cut
  int64_t must_not = 0;    // ids that had to be left out
  int64_t violations = 0;  // rows that break the contract
  int64_t flips = 0;       // rows that differ from the exact choice within the contract
  double expected = 0.0;   // flips that the margins lead one to expect
  double delta = 0.0;      // largest score error used
  int64_t unequal = 0;     // rows that are not what the reference itself chooses
};

/// How far the candidate is from the oracle-rounded reference, in units of what roundings do: rms(got - rounded) /
/// rms(rounded - exact) over the tap. Another order of the same roundings gives about 1.4, an exact candidate 1.
struct Noise {
  double ratio = 0.0;
  double worst_row = 0.0;  // the same of the worst row, against the tap's noise
  int64_t row = -1;
  int64_t elements = 0;     // that these speak about: those that depend on no open choice
  double median_row = 0.0;  // of all rows: open choices change few
  int64_t rows = 0;         // in which the oracle or the candidate rounds
  double error = 0.0;       // rms(got - exact) / rms(rounded - exact): below 1 the candidate is nearer than the oracle
};

/// Elements that depend on a choice (experts, blocks) which is not recorded and was too close to call.
struct Undecided {
  int64_t elements = 0;
  int64_t deviating = 0;  // of them, beyond the tolerance
};

/// A right value that is not the oracle's: which freedom explains it, and what it costs.
struct Deviation {
  std::string kind;   // "rounding" | "order" | "function" | "fusion" | "weights" | "type"
  std::string text;   // "rounds fewer times or later", "norms the sum before it is rounded"
  double cost = 0.0;  // rms(got - exact) / rms(oracle - exact); below 1: nearer to the exact value than the oracle
};

struct Record {
  std::string tap;
  std::string component;
  std::vector<std::string> span;  // prefixes of the nodes when more than one
  std::string backend;            // of the candidate: "golden", "reference", "capture"
  std::string variant;
  Mode mode = Mode::isolated;
  Status status = Status::pass;
  std::string reason;  // one line: why it is not pass
  DType dtype = DType::f64;
  std::string axes;
  Shape shape;
  int layer = -1;
  int64_t elements = 0;
  int64_t failed = 0;
  int64_t uncomputed = 0;       // that the capture declares as not computed: not compared, and not among `elements`
  double budget_used = 0.0;     // largest |got - exact| / tolerance; 1 = all of it
  double relative_error = 0.0;  // largest |got - exact| / largest finite |exact|
  double added = 0.0;           // relative error of the isolated judgement of the same tap
  double inherited = 0.0;       // drift of the chain, relative to the tap's largest magnitude
  Worst worst;
  Terms terms;
  std::vector<Slice> slices;
  Bias bias;
  BitEqual bit_equal;
  Noise noise;
  Undecided undecided;
  std::optional<Logits> logits;
  std::optional<Discrete> discrete;
  std::optional<Deviation> deviation;  // set: green under Policy::bounds, a failure under Policy::bits
  std::vector<std::string> unnoticed;  // how whole slices could be wrong without any rule noticing
  std::string accepted;                // the reason and date of its acceptance; empty: not accepted
  std::string where;                   // worst slice in words
  std::string repro;
  double seconds = 0.0;  // from the judgement before this one: the reference's own work included
};

struct TapCounts {
  int64_t judged = 0, input = 0, alias = 0, parameter = 0, yardstick = 0, unknown = 0;  // of the recording's datasets
  int64_t spanned = 0, not_recorded = 0;                                                // of the plan's outputs
  int64_t unselected = 0;  // datasets that the selection leaves out
  int64_t unjudged = 0;    // datasets in error, after a broken chain, or taken as given by the only walk
};

/// What wrong values are; the most specific of those that are true.
enum class ValueKind : uint8_t {
  zero,
  constant,
  negated,
  scaled,
  offset,
  shifted,  // slices some positions late or early, around the end or not
  reversed,
  permuted,   // slices in an order that none of the others says
  exchanged,  // two slices, or equal stretches (halves, thirds, neighbours)
  transposed,
  interleaved,  // alternating where halves are expected, or the other way round
  rounded,      // to another type once more
  truncated,    // toward zero instead of to nearest
  stale,        // another call's or layer's
  input,        // passed through
  unwritten,    // NaN, or a pattern that is no result of a computation
};
[[nodiscard]] const char* to_string(ValueKind kind);

struct ValueMatch {
  ValueKind kind = ValueKind::zero;
  std::string axis;       // letter; "S,D" for two axes exchanged; empty: none
  std::string detail;     // "heads 3 and 5 exchanged"
  double explains = 0.0;  // share of the wrong elements
};

struct Divergence {
  std::string tap;
  std::string component;
  int layer = -1;
  std::string explanation;
  std::optional<ValueMatch> values{};  // what the wrong values are
};

/// A weight of the engine that differs from the checkpoint's.
struct WeightDifference {
  std::string name{};         // published
  double relative_rms = 0.0;  // rms(own - published) / rms(published)
  double largest = 0.0;       // largest |own - published|
};

/// A candidate's file: what it says of itself, and how it was read.
struct CaptureSummary {
  bool declared = false;                  // made by `parity capture init`: what it holds, it computed
  std::string inputs;                     // of its nodes: "own", or "golden"
  std::vector<std::string> not_computed;  // as it declares: "taps */loss", "padding"
  std::vector<std::string> stated;        // … and of how it computes: "rounding *=oracle", "function_ulps swiglu=64"
  int64_t goldens_bits = 0;               // taps that have the golden's bits; undeclared, they may be the golden's
  std::vector<WeightDifference> weights;  // of its own
};

/// Taps of one component that the golden records, and how many of them were judged.
struct Coverage {
  std::string component;
  int64_t judged = 0;
  int64_t of = 0;
};

/// What makes taps fail, found by judging them against the reference with it.
struct Cause {
  std::string tap;        // the first that fails of it
  std::string what;       // "fault" | "parameter" | "function" | "profile" | "text": what `value` is
  std::string value;      // a fault's id, a profile's name, or edits as --assume reads them
  std::string text;       // in words
  double explains = 0.0;  // share of the failing taps
};

struct GoldenReport {
  std::string path;
  std::string name;
  std::string sha256;  // of activations.h5
  std::string oracle;
  std::string system;
  std::string profile;
  std::string candidate;
  Status verdict = Status::pass;
  Answer answer = Answer::not_shown;
  Policy policy = Policy::bits;
  std::string reason;  // when the golden could not be judged at all, or is mistrusted as a whole
  std::optional<Divergence> first_divergence;
  std::vector<Cause> causes;  // in the order of their taps
  TapCounts taps;
  std::vector<std::string> unknown_taps;
  std::optional<CaptureSummary> capture;  // of a candidate that is a file
  std::vector<std::string> not_shown;     // why the golden cannot be green: unknown, lost or unfilled taps, --require
  std::vector<Coverage> coverage;         // by component
  std::map<std::string, std::string> outputs;  // taps that the plan can judge, and their components; not in report.json
  std::vector<std::string> notes;              // what the fixture does not exercise, weights that nothing reads, …
  std::vector<Record> records;                 // in plan order, isolated first
  double seconds = 0.0;
  int64_t largest_span_bytes = 0;  // working set of the largest span
  std::string largest_span;
};

struct RunReport {
  std::string command;
  Environment environment;
  Status verdict = Status::pass;
  Answer answer = Answer::not_shown;  // of all goldens: the worst
  int exit_code = 0;
  std::optional<Divergence> first_divergence;  // of the first failing golden
  std::vector<Cause> causes;                   // of the same golden
  std::map<std::string, int64_t> counts;       // by status name
  std::vector<GoldenReport> goldens;
  double seconds = 0.0;
  int64_t peak_rss_bytes = 0;
};

}  // namespace parity::compare
